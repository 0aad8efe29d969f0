import { spawn } from "node:child_process";
import { type OwnProgram, programArguments } from "./program-arguments.ts";

export type ProcessLimits = {
  /** Of memory, in KiB. Not an address space, of which WebAssembly reserves gigabytes. */
  readonly dataKib: number;
  readonly cpuSeconds: number;
  readonly heapMib: number;
  readonly maxAnswerBytes: number;
};

/**
 * Starts a process of Warder's own for one task, with no environment and nothing to write to, and gives all that it printed until it ended: on its own, at
 * a limit, or because the signal aborted. Never rejects.
 */
export async function askProcess(
  program: OwnProgram,
  task: unknown,
  { limits, signal }: { readonly limits: ProcessLimits; readonly signal: AbortSignal },
): Promise<string> {
  const node = programArguments(program);
  // What it may not exceed is set by the shell before Node.js begins: no file, no core, its memory and its time, should Warder be gone.
  const bounds = `ulimit -c 0 && ulimit -f 0 && ulimit -t ${limits.cpuSeconds} && ulimit -d ${limits.dataKib} && exec "$@"`;
  const child = spawn("/bin/sh", ["-c", bounds, "sh", process.execPath, `--max-old-space-size=${limits.heapMib}`, ...node], {
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
    if (bytes > limits.maxAnswerBytes) child.kill("SIGKILL");
    else parts.push(part);
  });
  await closed;
  return Buffer.concat(parts).toString("utf8");
}
