import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import type { Change } from "../../sandbox/runtime.ts";
import { restoreChanges } from "../files/restore.ts";
import { removeTree } from "../../sandbox/workspace/mounts/directories.ts";
import type { WorkspaceRecord } from "../../sandbox/workspace/record.ts";
import { layersOf, treesOf } from "../../sandbox/workspace/trees.ts";
import { partsOf } from "./opened-trees.ts";

/** Throws `broken-invariant` when something cannot be taken back; what was, stays so. */
export async function takeBack(changes: readonly Change[], runDirectory: string, record: WorkspaceRecord): Promise<readonly Change[]> {
  const [workspace, repository] = treesOf(runDirectory, record);
  const { inside } = partsOf(changes);
  // A repository is one unit, and is chosen whole.
  if (repository !== undefined && inside.length < changes.length) removeTree(repository.upper);
  if (inside.length === 0 || workspace === undefined) return changes;
  const refused = await restoreChanges(inside, layersOf(workspace, record), record.mounter === undefined ? record.user : null);
  const [first] = refused;
  if (first !== undefined)
    throw new AgentError(
      "broken-invariant",
      `${String(refused.length)} changes could not be thrown away, the first: ${makeVisibleLine(first.change.path)}: ${first.reason}`,
    );
  return changes;
}
