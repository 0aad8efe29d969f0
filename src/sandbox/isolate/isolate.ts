import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { AgentError } from "../../base/errors.ts";
import { withoutInherited } from "../own-process/inherited.ts";
import { confinement } from "./confinement.ts";
import type { IsolateAnswer, IsolateLimits, IsolateOrder } from "./protocol.ts";
import { type IsolateStep, stepReader } from "./steps.ts";

export type { IsolateEnd } from "./protocol.ts";
export type { IsolateStep, WantedCall } from "./steps.ts";

export const ISOLATE_LIMITS: IsolateLimits = {
  memoryMb: 64,
  cpuMs: 10_000,
  calls: 1000,
  callBytes: 1024 * 1024,
  printedCharacters: 32 * 1024,
  resultCharacters: 256 * 1024,
};

export type Isolate = {
  /** Runs the script until it waits for answers. */
  begin(order: Omit<IsolateOrder, "limits">): Promise<IsolateStep>;
  answer(answer: IsolateAnswer): Promise<IsolateStep>;
  /** Ends the process, whatever it does. Idempotent. */
  close(): Promise<void>;
};

/** How much longer than its time of the processor a step may take, and a process to start: machines are busy. */
const PATIENCE = 6;
const START_MS = 20_000;
/** Of what it says on its way out, the last characters. */
const MAX_COMPLAINT = 2000;
/** Beyond this nothing more is read, and what still complains is blocked. */
const MAX_COMPLAINTS = 1024 * 1024;

/**
 * Starts the process of one isolate: nothing of this process's environment, no descriptor but its channel. What it says is believed to be nothing but text
 * of the right form. Throws `sandbox-unavailable` when it cannot be started.
 */
export async function startIsolate(limits: IsolateLimits = ISOLATE_LIMITS): Promise<Isolate> {
  const { program, words } = confinement();
  const child = withoutInherited(
    (others) =>
      spawn(program, words, {
        cwd: "/",
        env: { TZ: "UTC", PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
        stdio: ["pipe", "pipe", "pipe", ...others],
        detached: true,
      }) as ChildProcessWithoutNullStreams,
  );
  // With all of its group: bubblewrap may be on its way still, and what it had begun would go on. So nothing of it begins a session of its own.
  const kill = (): void => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-child.pid, "SIGKILL");
  };
  const hasEnded = once(child, "exit").then(
    () => true,
    () => true,
  );
  const spawned = await once(child, "spawn").then(
    () => null,
    (error: unknown) => error,
  );
  if (spawned !== null)
    throw new AgentError("sandbox-unavailable", "The process of a script cannot be started.", { cause: spawned, remedy: "See: warder doctor" });
  child.stdin.on("error", () => undefined);
  let complaint = "";
  let complained = 0;
  child.stderr.on("data", (data: Buffer) => {
    complaint = (complaint + data.toString()).slice(-MAX_COMPLAINT);
    complained += data.length;
    if (complained > MAX_COMPLAINTS) child.stderr.pause();
  });
  const step = stepReader(child.stdout, limits.calls);
  const ask = async (line: string): Promise<IsolateStep> => {
    const waiting = step();
    child.stdin.write(`${line}\n`);
    const timer = setTimeout(() => kill(), limits.cpuMs * PATIENCE + START_MS);
    const made = await Promise.race([waiting, hasEnded.then(() => null)]);
    clearTimeout(timer);
    if (made !== null) return made;
    kill();
    return { calls: [], printed: "", end: { value: null, problem: lastWords(child.signalCode, complaint), printed: "" } };
  };
  return {
    begin: (order) => ask(JSON.stringify({ ...order, limits } satisfies IsolateOrder)),
    answer: (answer) => ask(JSON.stringify(answer)),
    close: async () => {
      kill();
      await hasEnded;
    },
  };
}

function lastWords(signal: string | null, complaint: string): string {
  const isMemory = /out of memory|heap limit|Allocation failed/iu.test(complaint);
  if (isMemory) return "The script used more memory than it may have, and its process ended. Keep less at a time.";
  return `The process of the script ended${signal === null ? "" : ` by ${signal}`} before the script did. What it had called has happened. Do less in it, or do it without a script.`;
}
