// Runs the commands of vector files with the real bash, in every environment, and writes down what they did.
//
//   npm run fuzz -- record test/vectors/torture/FILE.json …
//
// A vector is `{"title", "command"}`; `ran` (names of programs) and `wrote` (paths) are filled in.
import { readFileSync, writeFileSync } from "node:fs";
import { openRealShell } from "./shell/execution/real-shell.ts";
import { buildStubRoot } from "./shell/execution/stub-root.ts";
import { ENVIRONMENTS, stubNames } from "./shell/subject.ts";

type Vector = { readonly title: string; readonly command: string };

const shell = openRealShell(buildStubRoot(stubNames()));
for (const file of process.argv.slice(2)) {
  const vectors = JSON.parse(readFileSync(file, "utf8")) as Vector[];
  // The shell runs one text after the other anyway.
  // oxlint-disable-next-line no-await-in-loop
  const lines = await Promise.all(vectors.map(record));
  writeFileSync(file, `[\n${lines.map((line) => `  ${line}`).join(",\n")}\n]\n`);
  console.log(`${file}: ${String(lines.length)} vectors`);
}
await shell.close();

async function record({ title, command }: Vector): Promise<string> {
  const executions = await Promise.all(ENVIRONMENTS.map((environment) => shell.run(command, environment)));
  const ran = new Set(executions.flatMap((execution) => execution.started.map((started) => started.program)));
  const wrote = new Set(executions.flatMap((execution) => execution.written));
  return JSON.stringify({ title, command, ran: [...ran].toSorted(), wrote: [...wrote].toSorted() });
}
