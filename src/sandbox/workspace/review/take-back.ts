import { closeSync, mkdirSync } from "node:fs";
import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import type { Change } from "../../runtime.ts";
import { restoreInLayer } from "../changes/restore-in-layer.ts";
import { restoreChanges } from "../changes/restore.ts";
import { openTree } from "../files/tree.ts";
import { holdMounts } from "../mounts/guardian.ts";
import { lockRecord } from "../mounts/run-lock.ts";
import { layersOf, type WorkspaceRecord, workspacePaths } from "../record.ts";

/** Throws `broken-invariant` when something cannot be taken back; what was, stays so. */
export async function takeBack(changes: readonly Change[], runDirectory: string, record: WorkspaceRecord): Promise<readonly Change[]> {
  const refused =
    record.mounter !== undefined ? await restoreInLayer(changes, layersOf(runDirectory, record)) : await restoreInView(changes, runDirectory, record);
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
