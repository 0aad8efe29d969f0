import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { readAudit } from "../../../src/audit/log/read.ts";
import { verifyAudit } from "../../../src/audit/verify/verify.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { holdersOf } from "../../../src/sandbox/workspace/mounts/image-holders.ts";
import { readRecord } from "../../../src/sandbox/workspace/record.ts";
import { openStore } from "../../../src/store/store.ts";
import type { OwnEngine } from "../../shared/own-engine.ts";
import type { Place } from "./place.ts";
import { processes, shimsOf } from "./processes.ts";

/** What the log says of a run's commands: those that ended well, and those that had begun and of which nothing more is known. */
export type Recorded = { readonly completed: readonly string[]; readonly begun: readonly string[] };

/** Reads it, and whether the log is whole. */
export function readLog(place: Place, run: string | null): { readonly recorded: Recorded; readonly isIntact: boolean } {
  const store = openStore(place.state);
  try {
    const log = { store, clock: systemClock };
    const { isIntact } = verifyAudit(log);
    const texts = new Map<string, string>();
    const completed: string[] = [];
    for (const { kind, payload } of run === null ? [] : readAudit(log, { run })) {
      const call = String(payload["call"]);
      if (kind === "permit-spent") texts.set(call, commandOf(payload["target"]));
      const text = texts.get(call);
      if (kind !== "outcome" || text === undefined) continue;
      if (payload["outcome"] === "completed" && payload["exitCode"] === 0) {
        completed.push(text);
        texts.delete(call);
      }
    }
    return { recorded: { completed, begun: [...texts.values()] }, isIntact };
  } finally {
    store.close();
  }
}

function commandOf(target: unknown): string {
  const argv = (target as { argv?: readonly string[] }).argv ?? [];
  return argv.at(-1) ?? "";
}

/** The run that belongs to a task; null when its process died before it was one. */
export function runOf(place: Place, task: string): string | null {
  if (!existsSync(join(place.state, "warder.db"))) return null;
  const store = openStore(place.state);
  try {
    return store.runs.list(50).find((row) => row.task === task)?.id ?? null;
  } finally {
    store.close();
  }
}

/** Whether nothing is left to resume: its process was killed behind its end. */
export function isOver(place: Place, run: string): boolean {
  const store = openStore(place.state);
  try {
    return (store.runs.byId(run)?.endedAtMs ?? null) !== null;
  } finally {
    store.close();
  }
}

/** Compares a workspace in which a run's changes have landed with what the log says of it. Each entry is a fault. */
export function lostChanges({ workspace }: Place, round: number, { completed, begun }: Recorded): readonly string[] {
  const lines = readFileSync(join(workspace, "log"), "utf8").split("\n");
  const faults: string[] = [];
  const made = new Set(readdirSync(join(workspace, "made")).filter((name) => name.startsWith(`${String(round)}-`)));
  for (const text of completed) {
    const [, name] = /made\/(\S+)/u.exec(text) ?? [];
    if (name === undefined) {
      if (existsSync(join(workspace, "old", String(round)))) faults.push(`old/${String(round)} was removed and is there`);
      continue;
    }
    if (!made.has(name)) faults.push(`made/${name} is lost`);
    else if (readFileSync(join(workspace, "made", name), "utf8") !== `${name}\n`) faults.push(`made/${name} holds something else`);
    if (lines.filter((line) => line === name).length !== 1) faults.push(`log holds ${name} ${String(lines.filter((line) => line === name).length)} times`);
  }
  const known = [...completed, ...begun].join(" ");
  for (const name of made) if (!known.includes(`made/${name} `)) faults.push(`made/${name} is there, and no record of it`);
  if (lines.length !== new Set(lines).size) faults.push("log holds a line twice");
  return faults;
}

/** What is left of runs after the next start, when everything had some seconds to end. */
export async function orphans(place: Place, engine: OwnEngine, sessions: readonly number[]): Promise<readonly string[]> {
  let left: readonly string[] = [];
  for (let tries = 0; tries < 50; tries += 1) {
    left = leftNow(place, engine, new Set(sessions));
    if (left.length === 0) return [];
    await pause(100);
  }
  return left;
}

function leftNow(place: Place, engine: OwnEngine, sessions: ReadonlySet<number>): readonly string[] {
  const containers = engine.client("ps", "--all", "--quiet", "--no-trunc").split("\n").filter(Boolean);
  const volumes = engine.client("volume", "ls", "--quiet").split("\n").filter(Boolean);
  const mounts = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter((line) => line.includes(`${place.state}/`));
  const loops = readdirSync("/sys/block").filter((name) => backingFile(name).startsWith(place.state) && !isKeptByOthers(name));
  return [
    ...containers.map((id) => `container ${id.slice(0, 12)}`),
    ...volumes.map((name) => `volume ${name}`),
    ...mounts.map((line) => `mount ${line}`),
    ...loops.map((name) => `loop device ${name}`),
    ...shimsOf(engine.mark).map(({ pid }) => `shim ${String(pid)}`),
    ...processes()
      .filter(({ session }) => sessions.has(session))
      .map(({ pid, command }) => `process ${String(pid)} ${command.slice(0, 100)}`),
  ];
}

/**
 * Whether all that keeps a run's layers is views of the mounts that other programs of this machine copied while they were there: for hours, if they like, and
 * nothing of ours is left then. Who wants the layers gets them all the same.
 */
function isKeptByOthers(device: string): boolean {
  const record = readRecord(dirname(dirname(backingFile(device))));
  const holders = holdersOf(readFileSync(`/sys/block/${device}/dev`, "utf8").trim(), record?.overlay ?? null);
  return holders.length > 0 && holders.every(({ kind }) => kind === "copy");
}

function backingFile(device: string): string {
  try {
    return readFileSync(`/sys/block/${device}/loop/backing_file`, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENXIO" || code === "ENODEV") return "";
    throw error;
  }
}
