import { dirname, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { askProcess, type ProcessLimits } from "../own-process/ask-process.ts";
import { type FileAnswer, type SyntaxTask, unread } from "./task.ts";

/** For all files of a call together, by the clock: somebody waits for the answer. */
const TASK_MS = 120_000;
/** A text of a mebibyte needs a tenth of the memory. A native parser looks at no time itself. */
const LIMITS: ProcessLimits = { dataKib: 1024 * 1024, cpuSeconds: 25, heapMib: 512, maxAnswerBytes: 64 * 1024 * 1024 };
/** Processes that end early before the rest is given up. */
const MOST_ENDED = 8;

/**
 * Has source text read by a process of its own. Gives an answer for each file: for one that ends the process, or is not reached in `taskMs`, why not. A
 * caller's abort ends the process.
 */
export async function askSyntax(task: SyntaxTask, signal: AbortSignal, taskMs = TASK_MS): Promise<readonly FileAnswer[]> {
  const answers: FileAnswer[] = [];
  const bound = AbortSignal.any([signal, AbortSignal.timeout(taskMs)]);
  for (let ended = 0; answers.length < task.files.length;) {
    const isEnd = ended >= MOST_ENDED || bound.aborted;
    if (isEnd)
      return [...answers, ...task.files.slice(answers.length).map(({ path }) => unread(path, bound.aborted ? "there was no time left for it" : "not tried"))];
    const rest = task.files.slice(answers.length);
    const given = await oneProcess({ ...task, files: rest }, bound);
    answers.push(...given);
    if (given.length >= rest.length || bound.aborted) continue;
    // One that ended it, though others had used its memory before, begins the next.
    if (given.length === 0) answers.push(unread(rest[0]?.path ?? "", "it cannot be parsed: the parser ended"));
    ended += 1;
  }
  return answers;
}

async function oneProcess(task: SyntaxTask, signal: AbortSignal): Promise<readonly FileAnswer[]> {
  const own = fileURLToPath(import.meta.url);
  const program = `${dirname(own)}/process${extname(own)}`;
  const isNative = task.kind === "pattern";
  const packages = isNative ? [import.meta.resolve("@ast-grep/napi")] : [import.meta.resolve("@vscode/tree-sitter-wasm")];
  const said = await askProcess({ program, packages, hasNetwork: false, hasAddons: isNative }, task, { limits: LIMITS, signal });
  // A last line without its end was cut.
  return said
    .slice(0, said.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as FileAnswer);
}
