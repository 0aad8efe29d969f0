import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { systemClock } from "../base/clock.ts";
import { AgentError } from "../base/errors.ts";
import { isOwnerAlive, ownerNamed } from "./owner.ts";
import { removeMasks, removeTree, stageOf, unmountBelow } from "./workspace/mounts/directories.ts";
import type { Settle } from "./mounts.ts";
import { dropKept, hasExpired, keptBeyond, reapKept } from "./workspace/changes/set-aside.ts";
import { owedFrom, readRecord, withoutDebt, workspacePaths, writeRecord } from "./workspace/record.ts";
import { withoutGuardians } from "./workspace/mounts/run-lock.ts";
import { uppersOf } from "./workspace/trees.ts";
import { forgetTurns, turnsBeyond } from "./turns/reap.ts";

/**
 * Undoes what dead owners left below `STATE/runs/*`: mounts go, the changes of a transactional workspace
 * stay and can be reviewed. One line for each. What somebody else works with is left alone, and so is a run
 * that somebody took meanwhile.
 */
export async function reapRuns(stateDirectory: string, settle?: Settle, maxKeptBytes?: number): Promise<readonly string[]> {
  const lines: string[] = [];
  const runs = runDirectories(join(stateDirectory, "runs"));
  for (const run of runs) {
    if (!isLeft(run)) {
      await reapAside(run);
      continue;
    }
    try {
      // Who reviews or resumes the run claims it and mounts under the same lock: what is unmounted here is nobody's.
      const line = await withoutGuardians(run, () => (isLeft(run) ? closeRun(run, settle) : null));
      if (line !== null) lines.push(line);
    } catch (error) {
      if (!(error instanceof AgentError && (error.code === "usage" || error.code === "sandbox-unavailable"))) throw error;
      lines.push(`left ${basename(run)} as it is: ${error.message}`);
    }
  }
  await reapBeyond(runs, maxKeptBytes);
  for (const run of turnsBeyond(runs, systemClock.nowMs()))
    await whileUnused(run, () => {
      forgetTurns(run);
    });
  return lines;
}

/** What can be taken back of all runs takes no more room than it may. */
async function reapBeyond(runs: readonly string[], maxBytes: number | undefined): Promise<void> {
  const withUndo = runs.filter((run) => existsSync(workspacePaths(run).undo));
  for (const [run, directories] of keptBeyond(withUndo, systemClock.nowMs(), maxBytes))
    await whileUnused(run, () => {
      dropKept(run, directories, systemClock.nowMs());
    });
}

/** Nothing of a run that somebody works with is removed: the next time will do. */
async function whileUnused(run: string, work: () => void): Promise<void> {
  const { owner } = workspacePaths(run);
  if (existsSync(owner)) return;
  try {
    await withoutGuardians(run, () => {
      if (!existsSync(owner)) work();
    });
  } catch (error) {
    if (!(error instanceof AgentError && error.code === "usage")) throw error;
  }
}

/** What can be taken back no longer goes. */
async function reapAside(run: string): Promise<void> {
  if (!existsSync(workspacePaths(run).undo) || !hasExpired(run, systemClock.nowMs())) return;
  await whileUnused(run, () => {
    reapKept(run, systemClock.nowMs());
  });
}

function isLeft(run: string): boolean {
  const owner = textOf(workspacePaths(run).owner);
  return owner !== null && !isOwnerAlive(owner);
}

async function closeRun(run: string, settle: Settle | undefined): Promise<string> {
  const owed = await bringBack(run, settle);
  const paths = workspacePaths(run);
  const stage = stageOf(basename(run));
  const mounts = [...unmountBelow(stage), ...unmountBelow(paths.base)];
  removeTree(stage);
  removeMasks(paths);
  const record = readRecord(run);
  if (record?.state === "open") writeRecord(run, { ...record, state: "closed" });
  // Without a record nothing here outlives its session.
  if (record === null) removeTree(paths.base);
  else rmSync(paths.owner);
  return `${owed}closed ${basename(run)}, whose owner is gone${mounts.length === 0 ? "" : `: removed ${String(mounts.length)} mounts`}`;
}

/** What a run wrote on an engine elsewhere comes back before the run is closed. Returns the beginning of a line. */
async function bringBack(run: string, settle: Settle | undefined): Promise<string> {
  const record = readRecord(run);
  const left = record === null ? null : owedFrom(record);
  if (record === null || left === null) return "";
  if (settle === undefined) throw new AgentError("sandbox-unavailable", `what it wrote is on the engine at ${left.address}, and stays there.`);
  const { runId, user } = record;
  const isFound = await settle(left, { runId, user, uppers: uppersOf(run, record) }, () => {
    writeRecord(run, withoutDebt(record));
  });
  return isFound
    ? `brought back what ${runId} wrote on the engine at ${left.address}; `
    : `the engine at ${left.address} has no more what ${runId} wrote there; `;
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
