import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isOver, lostChanges, orphans, readLog, runOf } from "./check.ts";
import type { OwnEngine } from "../../shared/own-engine.ts";
import { type Place, writeScript } from "./place.ts";
import { shimsOf, supervisorsOf } from "./processes.ts";

export const TARGETS = ["warder", "supervisor", "shim", "dockerd", "containerd"] as const;
export type Target = (typeof TARGETS)[number];

export type RoundReport = {
  readonly target: Target;
  /** False: everything had ended before the moment came. */
  readonly wasKilled: boolean;
  readonly wasResumed: boolean;
  /** Commands that the log says ended well. */
  readonly completed: number;
  readonly orphans: readonly string[];
  readonly lost: readonly string[];
  readonly isLogIntact: boolean;
  /** What else must not be: a process that hangs, a start that fails. */
  readonly faults: readonly string[];
};

/** How long a run takes that nothing hits, and its sandbox, in milliseconds: the moment lies anywhere in that. */
const usual = { whole: 3000, sandbox: 2000 };

/** Takes that time anew, for the load of the machine changes: a moment out of a shorter run would always hit the start of Warder. Throws when the run does not end with 0. */
export async function measureUsual(place: Place, engine: OwnEngine, round: number): Promise<void> {
  await engine.ensure();
  const startedMs = performance.now();
  const child = warder(place, engine, [
    "run",
    `measured before ${String(round)}`,
    "--unattended",
    "--policy",
    place.policy,
    "--model",
    writeScript(place, round),
    "--json",
  ]);
  while (child.exitCode === null && child.signalCode === null && supervisorsOf(engine.mark).length === 0) await pause(20);
  const thereMs = performance.now();
  const code = await ended(child);
  if (code !== 0) throw new Error(`a run that nothing hit ended with ${String(code)}`);
  usual.whole = performance.now() - startedMs;
  usual.sandbox = performance.now() - thereMs;
}
const HANG_MS = 120_000;

/** One run that is hit at a random moment, the next start, and a look at what is left. */
export async function playRound(place: Place, engine: OwnEngine, round: number, target: Target): Promise<RoundReport> {
  await engine.ensure();
  const task = `round ${String(round)}`;
  const model = writeScript(place, round);
  const faults: string[] = [];
  const child = warder(place, engine, ["run", task, "--unattended", "--policy", place.policy, "--model", model, "--json"]);
  const sessions = [child.pid ?? 0];
  const wasKilled = await kill(target, child, engine);
  if (target === "dockerd" || target === "containerd") {
    await pause(Math.random() * 2000);
    await engine.ensure();
  }
  if ((await ended(child)) === "hangs") faults.push(`warder did not end after its ${target} was killed`);
  await engine.ensure();
  let run = runOf(place, task);
  const wasResumed = wasKilled && target === "warder" && run !== null && !isOver(place, run) && Math.random() < 0.5;
  if (wasResumed && run !== null) {
    const resumed = warder(place, engine, ["run", "--resume", run, "--json"]);
    sessions.push(resumed.pid ?? 0);
    if ((await ended(resumed)) !== 0) faults.push(`${run} could not be resumed`);
  }
  const next = warder(place, engine, ["exec", "--policy", place.policy, "--workspace", place.empty, "--", "true"]);
  sessions.push(next.pid ?? 0);
  const code = await ended(next);
  if (code !== 0) faults.push(`the next start ended with ${String(code)}`);
  const left = await orphans(place, engine, sessions);
  run ??= runOf(place, task);
  const { recorded, isIntact } = readLog(place, run);
  const landed = await land(place, engine, run);
  const lost = [
    ...lostChanges(place, round, recorded),
    ...(landed === 0 || recorded.completed.length === 0 ? [] : [`changes apply ended with ${String(landed)}`]),
  ];
  if (lost.length === 0) rmSync(join(place.workspace, "old", String(round)), { force: true });
  return { target, wasKilled, wasResumed, completed: recorded.completed.length, orphans: left, lost, isLogIntact: isIntact, faults };
}

async function land(place: Place, engine: OwnEngine, run: string | null): Promise<number | string | null> {
  return run === null ? null : await ended(warder(place, engine, ["changes", "apply", run, "--checkout", "--yes", "--json"]));
}

/** Waits for what is to be killed and then for its moment, as long as Warder runs. */
async function kill(target: Target, child: ChildProcess, engine: OwnEngine): Promise<boolean> {
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  while (!hasEnded() && pidOf(target, child, engine) === null) await pause(20);
  const thereMs = performance.now();
  const span = target === "supervisor" || target === "shim" ? "sandbox" : "whole";
  const moment = thereMs + Math.random() * usual[span];
  while (!hasEnded() && performance.now() < moment) await pause(5);
  const pid = hasEnded() ? null : pidOf(target, child, engine);
  return pid !== null && signal(pid);
}

function pidOf(target: Target, child: ChildProcess, engine: OwnEngine): number | null {
  if (target === "warder") return child.pid ?? null;
  if (target === "dockerd" || target === "containerd") return engine.pidOf(target);
  const [found] = target === "shim" ? shimsOf(engine.mark) : supervisorsOf(engine.mark);
  return found?.pid ?? null;
}

function signal(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}

const BIN = join(import.meta.dirname, "..", "..", "..", "bin", "warder");

/** The real command line, in a session of its own so that what it leaves can be told apart. */
function warder(place: Place, engine: OwnEngine, argv: readonly string[]): ChildProcess {
  const env = { PATH: process.env["PATH"], HOME: place.home, WARDER_HOME: place.state, DOCKER_HOST: engine.host, NO_COLOR: "1" };
  return spawn(BIN, argv, {
    cwd: place.workspace,
    env,
    stdio: ["ignore", "ignore", process.env["SOAK_VERBOSE"] === "1" ? "inherit" : "ignore"],
    detached: true,
  });
}

async function ended(child: ChildProcess): Promise<number | string | null> {
  for (const deadline = performance.now() + HANG_MS; performance.now() < deadline; await pause(20))
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode;
  if (child.pid !== undefined) signal(child.pid);
  return "hangs";
}
