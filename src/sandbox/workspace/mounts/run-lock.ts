import { closeSync } from "node:fs";
import { join } from "node:path";
import { openOwn } from "../../../store/files/regular-file.ts";
import { type HoldRecord, holdMounts } from "./guardian.ts";

// A guardian outlives its killed owner by the moment that it needs to unmount. Whoever comes next must not mount at the same places
// before: the old guardian would then unmount what is new. So each guardian holds a lock until it ends.

/** As long as a guardian may need to unmount on a busy machine. */
const WAIT_SECONDS = "10";

/** The first record of a guardian that mounts for a run. The file lies outside what is removed with a workspace. */
export function lockRecord(runDirectory: string): HoldRecord {
  const file = join(runDirectory, "workspace.lock");
  closeSync(openOwn(file, "append", "sandbox-unavailable"));
  return ["lock", file, WAIT_SECONDS];
}

/**
 * Does `work` while no guardian of the run is alive and nobody else is here. Throws `usage` when a guardian does not end: somebody works
 * with the run.
 */
export async function withoutGuardians<T>(runDirectory: string, work: () => T | Promise<T>): Promise<T> {
  const lock = await holdMounts([lockRecord(runDirectory)]);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
