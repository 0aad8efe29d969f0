import { spawn } from "node:child_process";
import { once } from "node:events";
import { AgentError } from "../../../base/errors.ts";
import { sandboxFile } from "../../shipped-files.ts";

/** One record of `warder-host hold` (sandbox/host/README.md). */
export type HoldRecord = readonly [verb: "lock" | "namespace" | "dir" | "overlay" | "bind" | "idmap" | "image" | "tmpfs", ...fields: string[]];

/** Mounts of the host that last as long as this process. */
export type Guardian = {
  /** The process whose mounts they are. */
  readonly pid: number;
  /** Unmounts everything and waits for it. Idempotent. */
  release(): Promise<void>;
};

const ANSWER_TIMEOUT_MS = 20_000;
const RELEASE_TIMEOUT_MS = 10_000;

/**
 * Performs a mount plan through `warder-host hold`, which undoes it when its standard input ends: also
 * when this process is killed. Throws `sandbox-unavailable` with the program's reason; then nothing is
 * mounted. Throws `usage` when another guardian keeps the plan's lock.
 */
export async function holdMounts(records: readonly HoldRecord[]): Promise<Guardian> {
  const child = spawn(sandboxFile("build/warder-host"), ["hold"], { stdio: ["pipe", "pipe", "pipe"], env: {}, cwd: "/" });
  const ended = once(child, "close");
  // Both are waited for below; a failure to start must not be an unhandled rejection meanwhile.
  ended.catch(() => undefined);
  // The child's end is seen by `close`; a write after it would raise EPIPE here too.
  child.stdin.on("error", () => undefined);
  let release: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    child.stdin.end();
    const timer = setTimeout(() => child.kill("SIGTERM"), RELEASE_TIMEOUT_MS);
    await ended.finally(() => {
      clearTimeout(timer);
    });
  };
  const answer = firstLine(child.stdout, child.stderr, ended);
  child.stdin.write([...records, ["go"]].map((record) => `${record.join("\0")}\0\0`).join(""));
  const line = await answer;
  if (line !== "ok") {
    await stop().catch(() => undefined);
    const [, number, ...words] = line.split(" ");
    const record = line.startsWith("error ") ? records[Number(number) - 1] : undefined;
    if (record?.[0] === "lock") throw new AgentError("usage", `Another process works with this run now: try again when it is done (${words.join(" ")}).`);
    throw new AgentError(
      "sandbox-unavailable",
      record === undefined ? `The mount guardian failed: ${line}` : `A mount of the workspace failed (${record.join(" ")}): ${words.join(" ")}`,
    );
  }
  return { pid: child.pid ?? 0, release: () => (release ??= stop()) };
}

async function firstLine(stdout: NodeJS.ReadableStream, stderr: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<string> {
  let text = "";
  let complaint = "";
  const { promise, resolve } = Promise.withResolvers<string>();
  stdout.on("data", (data: Buffer) => {
    text += data.toString();
    if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
  });
  stderr.on("data", (data: Buffer) => {
    complaint = (complaint + data.toString()).slice(-1000);
  });
  ended.then(
    () => {
      resolve(`it ended without an answer. ${complaint.trim()}`);
    },
    (error: unknown) => {
      resolve(`it could not be started: ${String(error)}`);
    },
  );
  const timer = setTimeout(() => {
    resolve("it did not answer in time");
  }, ANSWER_TIMEOUT_MS);
  return promise.finally(() => {
    clearTimeout(timer);
  });
}
