import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { AgentError } from "../../base/errors.ts";
import { holdMounts } from "../workspace/mounts/guardian.ts";
import { makeImage, waitForImage } from "../workspace/mounts/image.ts";
import { readRecord, type WorkspaceRecord, workspacePaths, writeRecord } from "../workspace/record.ts";
import { layersOf, treesIn } from "../workspace/trees.ts";
import { copyBeside, copyIn } from "./keep.ts";
import { snapshotDirectory } from "./kept.ts";
import { layCopy } from "./layer-copies.ts";
import type { KeptState } from "./state.ts";

/** `from`: the directory of the run that was in that state; `stage`: where it is laid out; `runDirectory`: where that will lie when it counts. */
export type Laid = { readonly runId: string; readonly from: string; readonly stage: string; readonly runDirectory: string };

/** No mount has it as its name: whoever shows the image then is no sandbox, and copied this machine's mounts. */
const NO_OVERLAY = "none";

/**
 * Lays out what a run's workspace was after a turn, as a session leaves it that has ended, in a directory like a run's. Of one without a change that is an empty directory.
 * Throws `sandbox-unavailable`; what was made by then is the caller's to remove.
 */
export async function layState(state: KeptState, { runId, from, stage, runDirectory }: Laid): Promise<void> {
  if (state.kind === "none") throw new AgentError("broken-invariant", "Nothing is known of what is to be laid out.");
  const paths = workspacePaths(stage);
  mkdirSync(paths.base, { recursive: true, mode: 0o700 });
  if (state.kind === "empty") return;
  const snapshot = snapshotDirectory(from, state.name);
  const record = readRecord(snapshot);
  if (record === null) throw new AgentError("broken-invariant", `${snapshot} has no record.`);
  mkdirSync(paths.layers, { recursive: true, mode: 0o700 });
  const image = record.image === null ? null : makeImage(paths.image);
  const mounted = image === null ? null : await holdMounts([["image", image, paths.layers]]);
  try {
    for (const tree of treesIn(paths, record.workspace, record.repository)) {
      const copy = copyIn(snapshot, tree);
      if (!existsSync(copy.index)) continue;
      mkdirSync(tree.rootUpper, { recursive: true, mode: 0o700 });
      await layCopy(copy, tree.rootUpper, layersOf(tree, record).attributes);
    }
  } finally {
    await mounted?.release();
  }
  if (image !== null) await waitForImage({ image, overlay: NO_OVERLAY });
  copyBeside(workspacePaths(snapshot), paths);
  // What landed and was taken back since is other files of the same content.
  const { manifest } = workspacePaths(from);
  if (existsSync(manifest)) copyFileSync(manifest, paths.manifest);
  writeRecord(stage, { ...atRest(record), runId, state: "closed", image: image === null ? null : workspacePaths(runDirectory).image });
}

/** What its session had of an engine is over. */
function atRest({ overlay: _mounted, elsewhere: _left, ...record }: WorkspaceRecord): WorkspaceRecord {
  return record;
}
