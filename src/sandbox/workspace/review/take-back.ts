import { closeSync, mkdirSync } from "node:fs";
import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import type { Change } from "../../runtime.ts";
import { restoreInLayer } from "../changes/restore-in-layer.ts";
import { restoreChanges } from "../changes/restore.ts";
import { openTree } from "../files/tree.ts";
import { removeTree } from "../mounts/directories.ts";
import { holdMounts } from "../mounts/guardian.ts";
import { lockRecord } from "../mounts/run-lock.ts";
import { type WorkspaceRecord, workspacePaths } from "../record.ts";
import { layersOf, treesOf } from "../trees.ts";
import { partsOf } from "./opened-trees.ts";

/** Throws `broken-invariant` when something cannot be taken back; what was, stays so. */
export async function takeBack(changes: readonly Change[], runDirectory: string, record: WorkspaceRecord): Promise<readonly Change[]> {
  const [workspace, repository] = treesOf(runDirectory, record);
  const { inside } = partsOf(changes);
  // A repository is one unit, and is chosen whole.
  if (repository !== undefined && inside.length < changes.length) removeTree(repository.upper);
  if (inside.length === 0 || workspace === undefined) return changes;
  const refused = record.mounter !== undefined ? await restoreInLayer(inside, layersOf(workspace, record)) : await restoreInView(inside, runDirectory, record);
  const [first] = refused;
  if (first !== undefined)
    throw new AgentError(
      "broken-invariant",
      `${String(refused.length)} changes could not be thrown away, the first: ${makeVisibleLine(first.change.path)}: ${first.reason}`,
    );
  return changes;
}

async function restoreInView(
  changes: readonly Change[],
  runDirectory: string,
  record: WorkspaceRecord,
): Promise<readonly { readonly change: Change; readonly reason: string }[]> {
  const paths = workspacePaths(runDirectory);
  mkdirSync(paths.merged, { recursive: true, mode: 0o700 });
  const overlay = await holdMounts([lockRecord(runDirectory, "restore"), ["overlay", paths.merged, record.workspace, paths.upper, paths.work]]);
  try {
    const lower = openTree(record.workspace);
    try {
      return await restoreChanges(changes, { merged: paths.merged, workspace: record.workspace, lower, user: record.user });
    } finally {
      closeSync(lower);
    }
  } finally {
    await overlay.release();
  }
}
