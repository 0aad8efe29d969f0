import { closeSync, existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { makeVisibleLine } from "../../base/text.ts";
import type { Change } from "../../sandbox/runtime.ts";
import type { ApplyReport } from "../files/report.ts";
import { appendTo, layersIdOf, readJournal, readJournals, type Written } from "../../sandbox/workspace/changes/journal.ts";
import { unnoteLanded } from "../../sandbox/workspace/changes/landed.ts";
import { refresh } from "../files/recover.ts";
import { undoable } from "../../sandbox/workspace/changes/set-aside.ts";
import { openTree, statEntry } from "../../sandbox/workspace/files/tree.ts";
import { removeTree } from "../../sandbox/workspace/mounts/directories.ts";
import { type WorkspaceRecord, requireWorkspace, workspacePaths } from "../../sandbox/workspace/record.ts";
import { loadBeginnings, OWN_REPOSITORY, writeBeginnings } from "../../sandbox/workspace/repository/beginnings.ts";
import type { Placed } from "../../sandbox/workspace/repository/placed.ts";
import type { NoteLocks, RepositoryLanding } from "../../sandbox/workspace/repository/noted.ts";
import { releaseLocks } from "../git/locks.ts";
import { namesOf } from "../../sandbox/workspace/repository/names.ts";
import { type Backward, backwardOf, undoRepository } from "./refs.ts";
import { type ClosedReview, type FlaggedChange, openChanges, type ReviewOptions } from "../review/review.ts";
import { choose } from "../review/selection.ts";
import { readManifest, writeManifest } from "../../sandbox/workspace/scan/manifest.ts";
import { filesBackward, filesOf, unkeptIn } from "./files.ts";

/** What was taken back. Where anything stands in the way, that is said of each, and nothing was done. */
export type UndoReport = {
  readonly what: Written["what"];
  readonly applied: readonly FlaggedChange[];
  readonly refused: readonly { readonly change: FlaggedChange; readonly reason: string }[];
};

/** What a run's last landing or discard changed, to be taken back. `close` must be called. */
export type Undo = {
  readonly record: WorkspaceRecord;
  readonly what: Written["what"];
  /** Takes it back, or a part of it. Throws `usage` for a path that it did not change. */
  undo(paths: readonly string[]): Promise<UndoReport>;
  close(): Promise<void>;
};

/** Opens it; null: there is nothing to take back. Throws as `openChanges`. */
export async function openUndo(runDirectory: string, options: ReviewOptions = {}): Promise<Undo | null> {
  const review = await openChanges(runDirectory, { ...options, isUndo: true });
  if (review === null) return null;
  const written = await lastOf(runDirectory, review);
  if (written === null) {
    await review.close();
    return null;
  }
  return {
    record: review.record,
    what: written.what,
    undo: (paths) => (written.what === "discard" ? undoDiscard(written, review) : undoLanding(written, { runDirectory, review, paths })),
    close: () => review.close(),
  };
}

/** Which of these paths, that have just landed, replaced something that is not kept and cannot be taken back. */
export function unkeptOf(runDirectory: string, landed: readonly string[]): readonly string[] {
  const last = readJournals(workspacePaths(runDirectory).undo).at(-1);
  if (last?.what !== "landing" || last.after === null) return [];
  const unkept = new Set(unkeptIn(last));
  return landed.filter((path) => unkept.has(path));
}

/** The last that can be taken back; one that was interrupted is first brought to its end. */
async function lastOf(runDirectory: string, review: ClosedReview): Promise<Written | null> {
  const [last = null] = undoable(runDirectory, systemClock.nowMs());
  if (last?.what !== "landing" || last.after !== null) return last;
  await review.settle();
  return readJournal(last.directory) ?? undoable(runDirectory, systemClock.nowMs())[0] ?? null;
}

async function undoDiscard({ what, directory }: Written, review: ClosedReview): Promise<UndoReport> {
  const applied = review.list().map((change) => ({ ...change, flags: [] }));
  review.revive();
  removeTree(directory);
  return await Promise.resolve({ what, applied, refused: [] });
}

type Undoing = { readonly runDirectory: string; readonly review: ClosedReview; readonly paths: readonly string[] };

async function undoLanding(written: Written, { runDirectory, review, paths }: Undoing): Promise<UndoReport> {
  const { record } = review;
  const { what, directory } = written;
  requireWorkspace(record);
  await releaseLocks(written.locks);
  const noteLocks: NoteLocks = (locks) => {
    appendTo(directory, { kind: "locks", locks });
  };
  const ofRepositories = new Map<Change, RepositoryLanding>(written.repositories.map((landing) => [unitOf(landing, record), landing]));
  const selected = choose([...filesOf(written), ...ofRepositories.keys()], paths, "apply");
  const units = [...ofRepositories].filter(([unit]) => selected.includes(unit));
  const files = await filesBackward(
    selected.filter((change) => !units.some(([unit]) => unit === change)),
    written,
    record.workspace,
  );
  const lower = openTree(record.workspace);
  const place = placesOf(record, lower);
  try {
    const backward: [Change, RepositoryLanding, Backward][] = [];
    for (const [unit, landing] of units) backward.push([unit, landing, await backwardOf(place.at(landing.repository), landing)]);
    const inTheWay = [...files.refused, ...backward.flatMap(([change, , { conflicts }]) => conflicts.map((reason) => ({ change, reason })))];
    if (inTheWay.length > 0) return reportOf(what, { applied: [], refused: inTheWay });
    appendTo(directory, { kind: "undoing" });
    const done: Change[] = [];
    // Git comes first: what it refuses, it refuses before anything else moved.
    for (const [unit, { repository }, moves] of backward) {
      const fault = await undoRepository(place.at(repository), moves, { message: `warder: undo ${record.runId}`, noteLocks });
      if (fault !== null) return conclude({ done, refused: [{ change: unit, reason: fault }] });
      done.push(unit);
    }
    const { applied, refused } = await files.perform();
    return conclude({ done: [...done, ...applied], refused });
  } finally {
    place.close();
    closeSync(lower);
    files.close();
  }

  function conclude({ done, refused }: { done: readonly Change[]; refused: ApplyReport["refused"] }): UndoReport {
    const repositories = done.flatMap((change) => ofRepositories.get(change)?.repository ?? []);
    const undone = done.filter((change) => !ofRepositories.has(change)).map(({ path }) => path);
    if (what === "landing" && isOfTheseLayers(runDirectory, written)) {
      forgetLanded(runDirectory, written, { record, paths: undone, repositories });
      if (done.length > 0) review.revive();
    }
    appendTo(directory, { kind: "undone", paths: undone, repositories });
    return reportOf(what, { applied: done, refused });
  }
}

function reportOf(what: Written["what"], { applied, refused }: ApplyReport): UndoReport {
  const shown = (change: Change): FlaggedChange => ({ flags: [], ...change });
  return { what, applied: applied.map(shown), refused: refused.map(({ change, reason }) => ({ change: shown(change), reason })) };
}

function isOfTheseLayers(runDirectory: string, { layers }: Written): boolean {
  const { layersId } = workspacePaths(runDirectory);
  return existsSync(layersId) && layersIdOf(layersId) === layers;
}

/** A repository as one change, with a line for each thing that moves. */
function unitOf({ repository, refs, head, index }: RepositoryLanding, { repository: outside }: WorkspaceRecord): FlaggedChange {
  const isOutside = outside !== undefined && repository === OWN_REPOSITORY;
  const short = (id: string | null): string => (id === null ? "nothing" : id.slice(0, 12));
  const lines = refs.map(({ name, before, after }) => `${makeVisibleLine(name)}: ${short(after)} → ${short(before)}`);
  if (head !== null && head.before.ref !== head.after.ref) lines.push(`HEAD → ${makeVisibleLine(head.before.ref ?? short(head.before.id))}`);
  if (index.length > 0) lines.push(`${String(index.length)} entries of the index`);
  return {
    path: isOutside ? outside.path : repository,
    ...(isOutside ? { repository: outside.path } : {}),
    kind: "modified",
    type: "directory",
    size: 0,
    mode: 0,
    flags: [],
    refs: lines.map((summary) => ({ summary, commits: [], files: [] })),
  };
}

/** Where a repository lies. */
function placesOf({ workspace, repository: linked }: WorkspaceRecord, lower: number): { at(repository: string): Placed; close(): void } {
  const layers = { upper: lower, lower };
  const base = linked === undefined ? null : dirname(linked.path);
  const outside = base === null ? null : openTree(base);
  return {
    at: (repository) => {
      if (linked === undefined || base === null || outside === null || repository !== OWN_REPOSITORY) return { workspace, layers, repository };
      return { workspace, layers, repository, outside: { linked, base, layers: { upper: outside, lower: outside }, names: namesOf(linked) } };
    },
    close: () => {
      if (outside !== null) closeSync(outside);
    },
  };
}

type Undone = { readonly record: WorkspaceRecord; readonly paths: readonly string[]; readonly repositories: readonly string[] };

/** What was taken back waits for a review again, against what the workspace is now. */
function forgetLanded(runDirectory: string, { directory }: Written, { record, paths: undone, repositories }: Undone): void {
  const paths = workspacePaths(runDirectory);
  const manifest = readManifest(paths.manifest);
  const lower = openTree(record.workspace);
  try {
    for (const path of undone) refresh(manifest, path, statEntry(lower, path));
  } finally {
    closeSync(lower);
  }
  writeManifest(paths.manifest, manifest);
  const then = loadBeginnings(join(directory, basename(paths.beginnings)));
  const beginnings = new Map(loadBeginnings(paths.beginnings));
  for (const repository of repositories) {
    const before = then.get(repository);
    if (before !== undefined) beginnings.set(repository, before);
    const isOutside = record.repository !== undefined && repository === OWN_REPOSITORY;
    const file = isOutside ? paths.repositoryLanded : paths.landed;
    if (existsSync(file)) unnoteLanded(file, join(directory, basename(file)), (path) => isOutside || path === repository || path.startsWith(`${repository}/`));
  }
  writeBeginnings(paths.beginnings, beginnings);
}
