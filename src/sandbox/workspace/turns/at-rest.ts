import { unmountBelow } from "../mounts/directories.ts";
import { waitForEngine } from "../mounts/engine-mount.ts";
import { holdMounts } from "../mounts/guardian.ts";
import { waitForImage } from "../mounts/image.ts";
import { lockRecord } from "../mounts/run-lock.ts";
import { endNamespace } from "../mounts/user-namespace.ts";
import { AgentError } from "../../../base/errors.ts";
import { isOwnerAlive, pidOf } from "../../owner.ts";
import { owedFrom, readRecord, workspacePaths } from "../record.ts";
import { refuseOtherOwner } from "../mounts/directories.ts";

/** Ends sandboxes whose owner is dead, where they are the engine's. */
export type EndSandboxes = () => Promise<unknown>;

/**
 * Does `work` while nobody else works with a run and none of its layers is mounted. Throws `usage` while somebody does, and `sandbox-unavailable` where what it
 * wrote lies elsewhere, or a sandbox of it does not end.
 */
export async function whileAtRest<T>(runDirectory: string, endSandboxes: EndSandboxes, work: () => Promise<T>): Promise<T> {
  const paths = workspacePaths(runDirectory);
  refuseOtherOwner(paths.owner);
  const lock = await holdMounts([lockRecord(runDirectory)]);
  try {
    refuseOtherOwner(paths.owner);
    const record = readRecord(runDirectory);
    if (record !== null && record.state === "open") {
      if (isOwnerAlive(record.owner))
        throw new AgentError("usage", `The process ${pidOf(record.owner)} works with ${record.runId} now: try again when it is done.`);
      if (owedFrom(record) !== null)
        throw new AgentError("sandbox-unavailable", `What ${record.runId} wrote still lies on an engine elsewhere.`, {
          remedy: `Bring it back first: warder changes list ${record.runId}`,
        });
    }
    for (const base of [paths.base, paths.rewound, paths.replaced]) unmountBelow(base);
    if (record !== null) {
      await waitForEngine(record, endSandboxes);
      await waitForImage(record, endSandboxes);
      await endNamespace(record);
    }
    return await work();
  } finally {
    await lock.release();
  }
}
