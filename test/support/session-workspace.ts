import { execFileSync } from "node:child_process";
import { dockerRuntime } from "../../src/sandbox/docker/runtime.ts";
import { readRecord } from "../../src/sandbox/workspace/record.ts";
import { openChanges } from "../../src/sandbox/workspace/review/review.ts";
import { makeFixture, profileOf } from "../contract/sandbox-fixture.ts";
import type { OverlaidWorkspace } from "./overlaid-workspace.ts";

/**
 * As `overlayWorkspace`, in a real session of the engine at DOCKER_HOST, for an ordinary user. Only where the engine mounts is its volume seen: for a rootless
 * Podman in `podman unshare unshare --user --map-user=UID --map-group=GID`.
 */
export async function sessionWorkspace(files: Readonly<Record<string, string>> = {}, prepareLower?: (workspace: string) => void): Promise<OverlaidWorkspace> {
  const fixture = makeFixture(files);
  prepareLower?.(fixture.workspace);
  const { workspace, runDirectory, runId } = fixture;
  const session = await dockerRuntime({ dockerHost: process.env["DOCKER_HOST"] }).open(profileOf(fixture), { runId, runDirectory });
  const volume = readRecord(runDirectory)?.overlay ?? "";
  const view = execFileSync("docker", ["volume", "inspect", "--format", "{{.Mountpoint}}", volume], { encoding: "utf8" }).trim();
  return {
    workspace,
    view,
    runDirectory,
    end: () => session.close(),
    review: async (options) => {
      await session.close();
      const review = await openChanges(runDirectory, options);
      if (review === null) throw new Error("There are no changes.");
      return review;
    },
    remove: async () => {
      await session.close();
      fixture.remove();
    },
  };
}
