import { spawn } from "node:child_process";
import { dirname, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { programArguments } from "../own-process/program-arguments.ts";
import { type FileAnswer, type SyntaxTask, unread } from "./task.ts";

/** For all files of a call together: a native parser looks at no clock. */
const TASK_MS = 25_000;
/** Of memory, in KiB: a text of a mebibyte needs a tenth. Not an address space, of which WebAssembly reserves gigabytes. */
const DATA_KIB = 1024 * 1024;
const CPU_SECONDS = 60;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Processes that end early before the rest is given up. */
const MOST_ENDED = 16;

/**
 * Has source text read by a process of its own. Gives an answer for each file: for one that ends the process, or is not reached in time, why not. A caller's
 * abort ends the process.
 */
export async function askSyntax(task: SyntaxTask, signal: AbortSignal): Promise<readonly FileAnswer[]> {
  const answers: FileAnswer[] = [];
  const bound = AbortSignal.any([signal, AbortSignal.timeout(TASK_MS)]);
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
  const node = programArguments({ program, packages, hasNetwork: false, hasAddons: isNative });
  // What it may not exceed is set by the shell before Node.js begins: no file, no core, its memory and its time, should Warder be gone.
  const limits = `ulimit -c 0 && ulimit -f 0 && ulimit -t ${CPU_SECONDS} && ulimit -d ${DATA_KIB} && exec "$@"`;
  const child = spawn("/bin/sh", ["-c", limits, "sh", process.execPath, "--max-old-space-size=512", ...node], {
    cwd: "/",
    env: {},
    stdio: ["pipe", "pipe", "ignore"],
    signal,
    killSignal: "SIGKILL",
  });
  // Also after an error, and not before it is gone.
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  child.on("error", () => undefined);
  child.on("close", () => {
    resolve();
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(JSON.stringify(task));
  const parts: Buffer[] = [];
  let bytes = 0;
  child.stdout.on("data", (part: Buffer) => {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) child.kill("SIGKILL");
    else parts.push(part);
  });
  await closed;
  const said = Buffer.concat(parts).toString("utf8");
  // A last line without its end was cut.
  return said
    .slice(0, said.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as FileAnswer);
}
