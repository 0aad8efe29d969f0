/**
 * The one entry to the toolbox: `npm run bench`, `npm run fuzz` and `npm run soak` list their tools, `npm run fuzz -- NAME [OPTIONS]` starts
 * one, `--help` among the options shows them. Exit code 2 where there is no such tool, else the tool's own.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { fileOf, headOf, isKind, listOf } from "./tools.ts";

const [kind = "", name, ...options] = process.argv.slice(2);
if (!isKind(kind)) {
  console.error("usage: main.ts bench|fuzz|soak [NAME [OPTIONS]]");
  process.exit(2);
}
if (name === undefined) {
  console.log(listOf(kind));
  process.exit();
}
const file = fileOf(kind, name);
if (file === null) {
  console.error(`${kind}: there is no ${name}.\n\n${listOf(kind)}`);
  process.exit(2);
}
if (options.includes("--help")) {
  console.log(headOf(readFileSync(file, "utf8")));
} else if (file.endsWith(".sh")) {
  process.exitCode = spawnSync("sh", [file, ...options], { stdio: "inherit" }).status ?? 1;
} else {
  // A tool takes its options where a program of its own has them.
  process.argv.splice(1, process.argv.length, file, ...options);
  await import(pathToFileURL(file).href);
}
