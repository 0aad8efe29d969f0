import { closeSync } from "node:fs";
import { AgentError } from "../../base/errors.ts";
import type { Change } from "../runtime.ts";
import { listChanges } from "../workspace/changes/list.ts";
import { linkTarget, openTree } from "../workspace/files/tree.ts";
import { removeTree } from "../workspace/mounts/directories.ts";
import { readRecord, workspacePaths } from "../workspace/record.ts";
import { layersOf, treesOf } from "../workspace/trees.ts";
import { stateNow } from "./keep.ts";
import { layState } from "./lay.ts";
import type { Branch } from "./state.ts";

/**
 * Lays out what a run's workspace is now as that of another, in whose directory nothing of a workspace is yet. Nothing may write to it meanwhile. What the two write
 * from then on is their own. Throws `sandbox-unavailable` where it is too much, or lies elsewhere.
 */
export async function branchWorkspace(runDirectory: string, { runId, directory }: Branch, isSettled: boolean): Promise<void> {
  const state = await stateNow(runDirectory, readRecord(runDirectory), { turns: [], isSettled, into: directory });
  if (state.kind === "none") throw new AgentError("sandbox-unavailable", `The workspace of this run cannot be copied: ${state.reason}.`);
  try {
    await layState(state, { runId, from: directory, stage: directory, runDirectory: directory });
  } finally {
    removeTree(workspacePaths(directory).turns);
  }
}

/** What a run changed so far below its workspace, of itself or of the run that it began as a branch of. Nobody judged it. */
export function layerChanges(runDirectory: string): readonly Change[] {
  const record = readRecord(runDirectory);
  if (record === null) return [];
  return treesOf(runDirectory, record).flatMap((tree) => (tree.repository === null ? listChanges(layersOf(tree, record)) : []));
}

/** Where a link of the workspace that a run made leads, as it is written; null: it made none there. `path`: relative to the workspace. */
export function layerLink(runDirectory: string, path: string): string | null {
  const root = openTree(workspacePaths(runDirectory).upper);
  try {
    return linkTarget(root, path);
  } finally {
    closeSync(root);
  }
}

/** Removes all that a branch wrote, once nobody works with it. */
export function removeBranch(directory: string): void {
  removeTree(directory);
}
