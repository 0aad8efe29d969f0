import { copyFileSync, existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { AgentError } from "../../../base/errors.ts";
import { EXIT, type ExitCode } from "../../process/exit-code.ts";

export type PlaygroundOptions = { output?: string };

/** In the package, whether this file is its source or compiled. */
const PAGE = fileURLToPath(new URL("../../../../dist/playground.html", import.meta.url));

/** `warder policy playground`: the address of the page, which compares two policies as they are typed. */
export function playgroundCommand({ output }: PlaygroundOptions, page = PAGE): ExitCode {
  if (!existsSync(page))
    throw new AgentError("bad-configuration", "The page of the playground was not built.", { remedy: "In a checkout of Warder: npm run build" });
  if (output !== undefined) copy(page, resolve(output));
  process.stdout.write(`${pathToFileURL(output === undefined ? page : resolve(output)).href}\n`);
  return EXIT.done;
}

function copy(page: string, target: string): void {
  try {
    copyFileSync(page, target);
  } catch (error) {
    throw new AgentError("bad-configuration", `The page cannot be written to ${target}: ${error instanceof Error ? error.message : "unknown fault"}`, {
      cause: error,
      remedy: "Name another file with --output.",
    });
  }
}
