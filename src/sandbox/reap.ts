import { readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { isOwnerAlive, ownerNamed } from "./owner.ts";
import { removeTree, stageOf, unmountBelow } from "./workspace/directories.ts";
import { readRecord, workspacePaths, writeRecord } from "./workspace/record.ts";

/**
 * Undoes what dead owners left below `STATE/runs/*`: mounts go, the changes of a transactional workspace
 * stay and can be reviewed. One line for each.
 */
export function reapRuns(stateDirectory: string): readonly string[] {
  const lines: string[] = [];
  for (const run of runDirectories(join(stateDirectory, "runs"))) {
    const paths = workspacePaths(run);
    const owner = textOf(paths.owner);
    if (owner === null || isOwnerAlive(owner)) continue;
    const stage = stageOf(basename(run));
    const mounts = [...unmountBelow(stage), ...unmountBelow(paths.base)];
    removeTree(stage);
    const record = readRecord(run);
    if (record?.state === "open") writeRecord(run, { ...record, state: "closed" });
    // Without a record nothing here outlives its session.
    if (record === null) removeTree(paths.base);
    else rmSync(paths.owner);
    lines.push(`closed ${basename(run)}, whose owner is gone${mounts.length === 0 ? "" : `: removed ${String(mounts.length)} mounts`}`);
  }
  return lines;
}

function runDirectories(runs: string): readonly string[] {
  try {
    return readdirSync(runs, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(runs, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Removes what dead owners kept ready below `STATE/pool`; one line for each. */
export function reapPools(stateDirectory: string): readonly string[] {
  return runDirectories(join(stateDirectory, "pool")).flatMap((directory) => {
    if (isOwnerAlive(ownerNamed(basename(directory)))) return [];
    removeTree(directory);
    return [`removed what ${basename(directory)} kept ready`];
  });
}
