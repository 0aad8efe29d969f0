import { cpSync, existsSync, mkdirSync, renameSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { removeTree } from "../workspace/mounts/directories.ts";
import { readRecord, type WorkspaceRecord, workspacePaths } from "../workspace/record.ts";
import { layersOf, type Tree, treesOf } from "../workspace/trees.ts";
import { KEPT_LIMITS, keptTurns, snapshotDirectory, withinLimits, writeKept } from "./kept.ts";
import { compareLayer, type LayerCopy, type LayerState } from "./layer-copies.ts";
import type { KeptState, KeptTurn } from "./state.ts";

/** So much stays free on the disk that snapshots lie on: records need room, too. */
const RESERVE_BYTES = 512 * 1024 ** 2;

/** What a snapshot has beside the layers: what the workspace was when the run began, and what of it landed. */
const BESIDE = ["record", "manifest", "beginnings", "indexes", "landed", "repositoryLanded"] as const;

export function copyBeside(from: ReturnType<typeof workspacePaths>, to: ReturnType<typeof workspacePaths>): void {
  mkdirSync(to.base, { recursive: true, mode: 0o700 });
  for (const part of BESIDE) if (existsSync(from[part])) cpSync(from[part], to[part], { recursive: true });
}

type Moment = {
  readonly turn: number;
  /** As in a kept turn. */
  readonly after: number;
  /** As of a layer that is compared. */
  readonly isSettled: boolean;
};

/**
 * Keeps what a run's workspace is now as that of a turn. Nothing may write to it meanwhile. What cannot be kept is no fault: the list says why. Where the layer
 * is as it was after a turn before, it shares that one's snapshot.
 */
export async function keepTurn(runDirectory: string, moment: Moment): Promise<KeptTurn> {
  const record = readRecord(runDirectory);
  const turns = keptTurns(runDirectory).filter((each) => each.turn < moment.turn);
  const state = await stateNow(runDirectory, record, { turns: keptTurns(runDirectory), isSettled: moment.isSettled });
  const kept = { turn: moment.turn, after: moment.after, atMs: systemClock.nowMs(), state };
  try {
    mkdirSync(workspacePaths(runDirectory).turns, { recursive: true, mode: 0o700 });
    writeKept(runDirectory, withinLimits([...turns, kept]));
    return kept;
  } catch (error) {
    return { ...kept, state: { kind: "none", reason: reasonOf(error) } };
  }
}

/** `into`: the directory of the run that gets the snapshot; absent: its own. */
type Before = { readonly turns: readonly KeptTurn[]; readonly isSettled: boolean; readonly into?: string };

/** What a run's workspace is now, as a snapshot that others of these turns share where it did not change since. Nothing may write to it meanwhile. */
export async function stateNow(runDirectory: string, record: WorkspaceRecord | null, { turns, isSettled, into = runDirectory }: Before): Promise<KeptState> {
  if (record === null) return { kind: "empty" };
  if (record.elsewhere !== undefined) return { kind: "none", reason: "what the run writes lies on an engine elsewhere" };
  const last = turns.findLast(({ state }) => state.kind === "snapshot")?.state;
  const before = last?.kind === "snapshot" ? snapshotDirectory(runDirectory, last.name) : null;
  const limits = { entries: KEPT_LIMITS.entries, bytes: KEPT_LIMITS.bytes };
  const trees = treesOf(runDirectory, record).filter((tree) => existsSync(tree.rootUpper));
  const compare = (tree: Tree, target: string | null): Promise<LayerState> => {
    const { attributes } = layersOf(tree, record);
    const beforeCopy = before === null ? null : copyIn(before, tree);
    const isThere = beforeCopy !== null && existsSync(beforeCopy.index);
    return compareLayer(
      { upper: tree.rootUpper, attributes, before: isThere ? beforeCopy : null, limits, isSettled },
      target === null ? null : copyIn(target, tree),
    );
  };
  try {
    const looked = await Promise.all(trees.map((tree) => compare(tree, null)));
    const beyond = looked.map(tooMuch).find((reason) => reason !== null);
    if (beyond !== undefined) return { kind: "none", reason: beyond };
    if (looked.every(({ kind }) => kind === "empty")) return { kind: "empty" };
    const isOfLast = before !== null && trees.length === treesIn(before);
    if (isOfLast && last !== undefined && looked.every(({ kind }) => kind === "same")) return last;
    const sum = (what: "entries" | "copied" | "bytes"): number => looked.reduce((total, each) => total + ("entries" in each ? each[what] : 0), 0);
    requireRoom(into, sum("copied"));
    const name = nextName(turns);
    const directory = `${snapshotDirectory(into, name)}.new`;
    await makeSnapshot(runDirectory, directory, async () => {
      for (const tree of trees) {
        mkdirSync(copyIn(directory, tree).tree, { mode: 0o700 });
        await compare(tree, directory);
      }
    });
    return { kind: "snapshot", name, entries: sum("entries"), copied: sum("copied"), bytes: sum("bytes") };
  } catch (error) {
    return { kind: "none", reason: reasonOf(error) };
  }
}

/** Under its name it is whole. */
async function makeSnapshot(runDirectory: string, directory: string, copy: () => Promise<void>): Promise<void> {
  const paths = workspacePaths(runDirectory);
  const final = directory.slice(0, -".new".length);
  // Of a process that died.
  for (const left of [directory, final]) removeTree(left);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    await copy();
    copyBeside(paths, workspacePaths(directory));
    renameSync(directory, final);
  } catch (error) {
    removeTree(directory);
    throw error;
  }
}

/** Where a snapshot, which is otherwise made as a run's directory is, has the copy of a layer. */
export function copyIn(directory: string, { repository }: Pick<Tree, "repository">): LayerCopy {
  const tree = join(directory, repository === null ? "layer" : "repository-layer");
  return { tree, index: `${tree}.index` };
}

function treesIn(directory: string): number {
  return [null, { path: "", worktree: null }].filter((repository) => existsSync(copyIn(directory, { repository }).index)).length;
}

function nextName(turns: readonly KeptTurn[]): string {
  const numbers = turns.flatMap(({ state }) => (state.kind === "snapshot" ? [Number(state.name)] : []));
  return String(Math.max(0, ...numbers) + 1);
}

function tooMuch(state: LayerState): string | null {
  if (state.kind === "too-many") return `the run's changes are more than ${state.limit.toLocaleString("en")} files and directories`;
  return state.kind === "too-large" ? `more than ${String(state.limit / 1024 ** 2)} MiB of the run's changes are new` : null;
}

function requireRoom(runDirectory: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(runDirectory);
  if (bavail * bsize < bytes + RESERVE_BYTES) throw new AgentError("sandbox-unavailable", `there is too little space left in ${runDirectory}`);
}

/** A disk that is full, a file that cannot be read, a record that cannot be written: whatever it is, the run does not need it. */
function reasonOf(error: unknown): string {
  if (error instanceof AgentError) return makeVisibleLine(error.problem);
  if (error instanceof Error && "code" in error) return makeVisibleLine(error.message);
  throw error;
}
