#!/usr/bin/env node
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { answerQuickly as answerQuicklyThere } from "./answer-quickly.ts";
import { nodeFault } from "../base/node-version.ts";

/** In the package: the same answers as those of `start.ts`, from one file that loads in a third of the time. */
const BUNDLE = fileURLToPath(new URL("../quick/check.cjs", import.meta.url));

async function isAnsweredQuickly(argv: readonly string[]): Promise<boolean> {
  if ((argv[0] !== "check" && argv[0] !== "hook") || !existsSync(BUNDLE)) return false;
  const { answerQuickly } = createRequire(import.meta.url)(BUNDLE) as { readonly answerQuickly: typeof answerQuicklyThere };
  return await answerQuickly(argv);
}

const fault = nodeFault(process.versions.node);
if (fault !== null) {
  process.stderr.write(`warder: ${fault}\n`);
  process.exitCode = 78;
} else {
  (await import("./process/compile-cache.ts")).keepCompiledCode(process.env);
  if (!(await isAnsweredQuickly(process.argv.slice(2)))) await (await import("./start.ts")).start(process.argv);
}
