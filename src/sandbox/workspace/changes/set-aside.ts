import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../../../base/errors.ts";
import { removeMasks, removeTree } from "../mounts/directories.ts";
import { readRecord, type WorkspaceRecord, workspacePaths, writeRecord } from "../record.ts";
import { layersIdOf, numbersIn, readJournals, type Written } from "./journal.ts";

// What landed or was discarded can be taken back for a time: what landed replaced is kept with its journal, and the run's layers as they were.

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long each can be taken back. */
const KEPT_MS = { landing: 7 * DAY_MS, branch: 7 * DAY_MS, discard: DAY_MS } as const;

/** The newest of them alone are kept. */
const MAX_KEPT = 50;

/** What is kept of all runs together; the last of them stays, whatever room it takes. */
const MAX_KEPT_BYTES = 16 * 1024 ** 3;

/** Removes the layers and keeps a record that says so. Nothing may be mounted any more. */
export function forgetChanges(runDirectory: string, record: WorkspaceRecord): void {
  const { layers, layersId, image, manifest, beginnings, indexes, rebase, landed, repositoryLanded } = workspacePaths(runDirectory);
  setAside(runDirectory, record);
  for (const path of [layersId, layers, image, manifest, beginnings, indexes, rebase, landed, repositoryLanded]) removeTree(path);
}

/** What becomes of a run of which nothing is to be reviewed any more. */
export function retire(runDirectory: string, record: WorkspaceRecord): void {
  if (numbersIn(workspacePaths(runDirectory).undo).length > 0) setAside(runDirectory, record);
  else forgetChanges(runDirectory, record);
}

/** The same, but what the run did stays where it is until nothing of it can be taken back any more. */
function setAside(runDirectory: string, record: WorkspaceRecord): void {
  const paths = workspacePaths(runDirectory);
  writeRecord(runDirectory, { ...record, state: "discarded" });
  removeMasks(paths);
  for (const path of [paths.check, paths.lower, paths.merged, paths.roots, paths.repositoryLower, paths.repositoryMerged]) removeTree(path);
}

/** What can be taken back of a run, the last first. */
export function undoable(runDirectory: string, nowMs: number): readonly Written[] {
  const { undo, layersId } = workspacePaths(runDirectory);
  const layers = existsSync(layersId) ? layersIdOf(layersId) : null;
  return readJournals(undo)
    .filter(
      (written) =>
        !isOver(written, nowMs) && ((written.what !== "discard" && written.after !== null) || written.what === "branch" || written.layers === layers),
    )
    .toReversed();
}

function isOver({ what, atMs, after, paths, repositories }: Written, nowMs: number): boolean {
  return nowMs - atMs > KEPT_MS[what] || ((after !== null || what === "branch") && what !== "discard" && paths.size + repositories.length === 0);
}

function keptOf(runDirectory: string, nowMs: number): ReadonlySet<string> {
  return new Set(
    undoable(runDirectory, nowMs)
      .slice(0, MAX_KEPT)
      .map(({ directory }) => directory),
  );
}

function directoriesIn(undo: string): readonly string[] {
  return numbersIn(undo).map((number) => join(undo, String(number)));
}

/** Whether there is something for `reapKept` to remove. */
export function hasExpired(runDirectory: string, nowMs: number): boolean {
  const directories = directoriesIn(workspacePaths(runDirectory).undo);
  return keptOf(runDirectory, nowMs).size < Math.max(1, directories.length);
}

/** Removes what cannot be taken back any more, and with the last of it the layers of a run of which nothing is to be reviewed. Nobody may work with the run. */
export function reapKept(runDirectory: string, nowMs: number): void {
  const paths = workspacePaths(runDirectory);
  const kept = keptOf(runDirectory, nowMs);
  for (const directory of directoriesIn(paths.undo)) if (!kept.has(directory)) removeTree(directory);
  if (kept.size > 0) return;
  removeTree(paths.undo);
  const record = readRecord(runDirectory);
  if (record?.state === "discarded" && existsSync(paths.base)) forgetChanges(runDirectory, record);
}

/** What is beyond the limit of all runs together, the oldest of it: journals by their run. What was interrupted is still needed, and stays. */
export function keptBeyond(runDirectories: readonly string[], nowMs: number, maxBytes = MAX_KEPT_BYTES): ReadonlyMap<string, readonly string[]> {
  const kept = runDirectories
    .flatMap((run) => undoable(run, nowMs).map((written, at) => ({ ...written, run, places: [written.directory, ...(at === 0 ? layersAside(run) : [])] })))
    .toSorted((one, other) => other.atMs - one.atMs);
  const bytes = kept.length < 2 ? new Map<string, number>() : bytesBelow(kept.flatMap(({ places }) => places));
  let sum = 0;
  const beyond = kept.filter(({ what, after, isUndoing, places }, at) => {
    for (const place of places) sum += bytes.get(place) ?? 0;
    return at > 0 && sum > maxBytes && !isUndoing && (what !== "landing" || after !== null);
  });
  return new Map([...Map.groupBy(beyond, ({ run }) => run)].map(([run, journals]) => [run, journals.map(({ directory }) => directory)]));
}

/** Removes journals of a run. Nobody may work with it. */
export function dropKept(runDirectory: string, directories: readonly string[], nowMs: number): void {
  for (const directory of directories) removeTree(directory);
  reapKept(runDirectory, nowMs);
}

/** Where the layers lie of a run of which nothing is to be reviewed any more: they go with the last that can be taken back. */
function layersAside(runDirectory: string): readonly string[] {
  try {
    return readRecord(runDirectory)?.state === "discarded" ? [workspacePaths(runDirectory).base] : [];
  } catch (error) {
    // Of a damaged record nothing is known, and no other run waits for that.
    if (error instanceof AgentError) return [];
    throw error;
  }
}

/** The room that each takes on its disk. What cannot be counted counts nothing. */
function bytesBelow(paths: readonly string[]): ReadonlyMap<string, number> {
  const { stdout } = spawnSync("du", ["--summarize", "--one-file-system", "--block-size=1", "--null", "--files0-from=-"], {
    input: paths.join("\0"),
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "pipe", "ignore"],
    encoding: "utf8",
  });
  return new Map(stdout.split("\0").flatMap((line) => (line === "" ? [] : [[line.slice(line.indexOf("\t") + 1), Number.parseInt(line, 10)] as const])));
}
