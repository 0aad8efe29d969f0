import { existsSync, readFileSync } from "node:fs";
import { writeWhole } from "../workspace/files/whole-file.ts";
import { unmountBelow } from "../workspace/mounts/directories.ts";
import { waitForEngine } from "../workspace/mounts/engine-mount.ts";
import { holdMounts } from "../workspace/mounts/guardian.ts";
import { waitForImage } from "../workspace/mounts/image.ts";
import { lockRecord } from "../workspace/mounts/run-lock.ts";
import { endNamespace } from "../workspace/mounts/user-namespace.ts";
import { AgentError } from "../../base/errors.ts";
import { isOwnerAlive, ownerOf, pidOf } from "../owner.ts";
import { owedFrom, readRecord, workspacePaths } from "../workspace/record.ts";
import { refuseOtherOwner } from "../workspace/mounts/directories.ts";

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
      const end = (): Promise<unknown> => whileOwned(paths.owner, endSandboxes);
      await waitForEngine(record, end);
      await waitForImage(record, end);
      await endNamespace(record);
    }
    return await work();
  } finally {
    await lock.release();
  }
}

/** Who ends what dead owners left looks into their runs, too, and would wait for the lock that is held here. In between, this one is nobody's who is dead. */
async function whileOwned<T>(file: string, work: () => Promise<T>): Promise<T> {
  if (!existsSync(file)) return await work();
  const left = readFileSync(file, "utf8");
  writeWhole(file, ownerOf(process.pid) ?? "");
  try {
    return await work();
  } finally {
    writeWhole(file, left);
  }
}
