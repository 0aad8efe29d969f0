import { closeSync, lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { guarded } from "./fault.ts";
import { openOwn } from "./regular-file.ts";
import { syncDirectory } from "./state-files.ts";

/** Where a file stops everything, whatever the database says: also when that is full, damaged or locked. A person may make it by hand. */
export function stopFile(directory: string): string {
  return join(directory, "stopped");
}

/** Whether anything stands there. Throws what the system answers when it cannot tell. */
export function hasStopFile(directory: string): boolean {
  return lstatSync(stopFile(directory), { throwIfNoEntry: false }) !== undefined;
}

/** Makes it, and says whether it stands. An empty file needs no space on most disks that are full. */
export function putStopFile(directory: string): boolean {
  try {
    if (!hasStopFile(directory)) closeSync(openOwn(stopFile(directory), "append", "store-unavailable"));
    syncDirectory(directory);
    return true;
  } catch (error) {
    // The caller says what could not be done; whatever the reason, an entry that stands stops.
    if (!(error instanceof Error && "code" in error)) throw error;
    return isThere(directory);
  }
}

/** Removes it, durably. Throws `store-unavailable`; then everything stays stopped. */
export function removeStopFile(directory: string): void {
  guarded("store-unavailable", `Everything stays stopped: the file ${stopFile(directory)} cannot be removed`, () => {
    rmSync(stopFile(directory), { force: true });
    syncDirectory(directory);
  });
}

function isThere(directory: string): boolean {
  try {
    return hasStopFile(directory);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return false;
  }
}
