import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { writeWhole } from "../workspace/files/whole-file.ts";
import { removeTree } from "../workspace/mounts/directories.ts";
import { workspacePaths } from "../workspace/record.ts";
import type { KeptState, KeptTurn } from "./state.ts";

/** How much is kept of one run. Of what is too large by itself there is no snapshot; of all others the oldest go first. */
export const KEPT_LIMITS = { entries: 100_000, allEntries: 300_000, bytes: 512 * 1024 ** 2, allBytes: 1024 ** 3, snapshots: 20 } as const;

/** The turns of a run of which something is known, the first one first. Throws `broken-invariant` for a list that cannot be understood. */
export function keptTurns(runDirectory: string): readonly KeptTurn[] {
  const file = listIn(runDirectory);
  if (!existsSync(file)) return [];
  const value: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (typeof value !== "object" || value === null || !("turns" in value) || !Array.isArray(value.turns))
    throw new AgentError("broken-invariant", `${file} is no list of turns.`);
  return value.turns as readonly KeptTurn[];
}

export function snapshotDirectory(runDirectory: string, name: string): string {
  return join(workspacePaths(runDirectory).turns, name);
}

/** Writes the list, and removes what it names no more. Throws `store-unavailable`; then the list is as it was. */
export function writeKept(runDirectory: string, turns: readonly KeptTurn[]): void {
  const before = namesOf(keptTurns(runDirectory));
  writeWhole(listIn(runDirectory), JSON.stringify({ version: 1, turns }));
  const now = namesOf(turns);
  for (const name of before) if (!now.has(name)) removeTree(snapshotDirectory(runDirectory, name));
}

/** Forgets what a run's workspace was after later turns than this: they are no turns of it any more. */
export function forgetTurnsAfter(runDirectory: string, turn: number): void {
  const turns = keptTurns(runDirectory);
  const kept = turns.filter((each) => each.turn <= turn);
  if (kept.length < turns.length) writeKept(runDirectory, kept);
}

const DROPPED = "it was dropped to make room for later turns";

/** The list within the bounds: snapshots go, the oldest first, and it is said of their turns. */
export function withinLimits(turns: readonly KeptTurn[]): readonly KeptTurn[] {
  const snapshots = snapshotsIn(turns);
  let first = Math.max(0, snapshots.length - KEPT_LIMITS.snapshots);
  while (first < snapshots.length - 1 && isTooMuch(snapshots.slice(first))) first += 1;
  const dropped = new Set(snapshots.slice(0, first).map(({ name }) => name));
  return turns.map((each) =>
    each.state.kind === "snapshot" && dropped.has(each.state.name) ? { ...each, state: { kind: "none" as const, reason: DROPPED } } : each,
  );
}

/** What the snapshots of turns take together. */
export function bytesOf(turns: readonly KeptTurn[]): number {
  return roomOf(snapshotsIn(turns));
}

type Snapshot = Extract<KeptState, { kind: "snapshot" }>;

function snapshotsIn(turns: readonly KeptTurn[]): readonly Snapshot[] {
  return [...new Map(turns.flatMap(({ state }) => (state.kind === "snapshot" ? [[state.name, state] as const] : []))).values()];
}

/** The first of them whole, and what each further one did not share with the one before it. */
function roomOf([first, ...further]: readonly Snapshot[]): number {
  return further.reduce((sum, { copied }) => sum + copied, first?.bytes ?? 0);
}

function isTooMuch([first, ...further]: readonly Snapshot[]): boolean {
  const bytes = roomOf(first === undefined ? [] : [first, ...further]);
  const entries = further.reduce((sum, each) => sum + each.entries, first?.entries ?? 0);
  return bytes > KEPT_LIMITS.allBytes || entries > KEPT_LIMITS.allEntries;
}

function namesOf(turns: readonly KeptTurn[]): ReadonlySet<string> {
  return new Set(turns.flatMap(({ state }) => (state.kind === "snapshot" ? [state.name] : [])));
}

function listIn(runDirectory: string): string {
  return join(workspacePaths(runDirectory).turns, "turns.json");
}
