import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { bounded, type ProcessBounds } from "./bounds.ts";
import { withoutInherited } from "./inherited.ts";
import { type OwnProgram, programArguments } from "./program-arguments.ts";

export type ProcessLimits = ProcessBounds & {
  readonly heapMib: number;
  readonly maxAnswerBytes: number;
};

/**
 * Starts a process of Warder's own for one task, with no environment, no descriptor but its streams and nothing to write to. Gives all that it printed until
 * it ended: on its own, at a limit, or because the signal aborted. Rejects only where this process can open no descriptor.
 */
export async function askProcess(
  program: OwnProgram,
  task: unknown,
  { limits, signal }: { readonly limits: ProcessLimits; readonly signal: AbortSignal },
): Promise<string> {
  const { program: shell, words } = bounded(limits, [process.execPath, `--max-old-space-size=${limits.heapMib}`, ...programArguments(program)]);
  const child = withoutInherited(
    (others) =>
      spawn(shell, words, { cwd: "/", env: {}, stdio: ["pipe", "pipe", "ignore", ...others], signal, killSignal: "SIGKILL" }) as ChildProcessByStdio<
        Writable,
        Readable,
        null
      >,
  );
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
