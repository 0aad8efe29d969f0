/**
 * Reads source text for one call: a process of its own, which `ask.ts` starts with nothing but its task and ends when it takes too long. What its parsers read,
 * a model or a stranger wrote.
 */
import { text } from "node:stream/consumers";
import { dropPrivileges } from "../own-process/drop-privileges.ts";
import { type SyntaxTask, TOO_LONG } from "./task.ts";

/** A user that owns nothing and runs nothing else, the egress proxy least of all. */
const OWN_USER = { uid: 65530, gid: 65530 };

const task = JSON.parse(await text(process.stdin)) as SyntaxTask;
const read = task.kind === "pattern" ? (await import("./patterns.ts")).patternReader(task) : await (await import("./trees.ts")).treeReader(task);
// All that it needs is loaded.
if (process.getuid?.() === 0) dropPrivileges(OWN_USER);
for (const source of task.files) {
  const answer = read(source);
  process.stdout.write(`${JSON.stringify(answer)}\n`);
  // What it allocated is never given back: the files behind it are for another process.
  if (answer.problem === TOO_LONG) process.exit(0);
}
