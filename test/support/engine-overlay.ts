import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { overlayOptions } from "../../src/sandbox/docker/overlay-options.ts";
import { UNPRIVILEGED_USER } from "../../src/sandbox/mounts.ts";
import { ownerOf } from "../../src/sandbox/owner.ts";
import { planMaskedOverlay } from "../../src/sandbox/workspace/masked-overlay.ts";
import { makeDirectories } from "../../src/sandbox/workspace/mounts/directories.ts";
import { inodeOf, workspacePaths, type WorkspaceRecord, writeRecord } from "../../src/sandbox/workspace/record.ts";
import { openChanges } from "../../src/landing/review/review.ts";
import { scanRoots } from "../../src/sandbox/workspace/scan/all-roots.ts";
import { readBeginnings, writeBeginnings } from "../../src/sandbox/workspace/repository/beginnings.ts";
import { manifestOf, writeManifest } from "../../src/sandbox/workspace/scan/manifest.ts";
import { treesIn } from "../../src/sandbox/workspace/trees.ts";
import { makeFixture, profileOf } from "../contract/sandbox-fixture.ts";
import type { OverlaidWorkspace } from "./overlaid-workspace.ts";

/** As `overlayWorkspace`, with the layers of an overlay that the engine mounts: here mounted with the same options, and without an engine. Needs root. */
export async function engineWorkspace(files: Readonly<Record<string, string>> = {}, prepareLower?: (workspace: string) => void): Promise<OverlaidWorkspace> {
  const fixture = makeFixture(files);
  prepareLower?.(fixture.workspace);
  const { workspace, runDirectory, runId } = fixture;
  const paths = workspacePaths(runDirectory);
  const [scan] = scanRoots(profileOf(fixture), "changed");
  const [tree] = treesIn(paths, workspace, undefined);
  if (scan === undefined || tree === undefined) throw new Error("There is no workspace.");
  makeDirectories(paths, false);
  const manifest = manifestOf(workspace, scan.entries);
  writeManifest(paths.manifest, manifest);
  writeBeginnings(paths.beginnings, await readBeginnings(workspace, manifest.keys()));
  const overlay = await planMaskedOverlay(tree, { name: `overlay-${runId}`, scan });
  const record: WorkspaceRecord = {
    version: 1,
    runId,
    workspace,
    inode: inodeOf(workspace),
    user: UNPRIVILEGED_USER,
    owner: ownerOf(process.pid) ?? "",
    image: null,
    overlay: overlay.name,
    mounter: "engine",
    state: "open",
  };
  writeRecord(runDirectory, record);
  execFileSync("mount", ["-t", "overlay", "-o", overlayOptions(overlay, false), overlay.name, paths.merged]);
  let hasEnded = false;
  const end = (): Promise<void> => {
    if (hasEnded) return Promise.resolve();
    hasEnded = true;
    execFileSync("umount", [paths.merged]);
    writeRecord(runDirectory, { ...record, state: "closed" });
    rmSync(paths.owner, { force: true });
    return Promise.resolve();
  };
  return {
    workspace,
    view: paths.merged,
    runDirectory,
    end,
    review: async (options) => {
      await end();
      const review = await openChanges(runDirectory, options);
      if (review === null) throw new Error("There are no changes.");
      return review;
    },
    remove: async () => {
      await end();
      fixture.remove();
    },
  };
}
