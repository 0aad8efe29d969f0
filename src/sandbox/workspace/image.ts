import { execFileSync } from "node:child_process";
import { closeSync, ftruncateSync, openSync } from "node:fs";
import { AgentError } from "../../base/errors.ts";

/** How much a run may write into its workspace. The file is sparse: it takes what is written. */
export const LAYER_BYTES = 8 * 1024 ** 3;

/**
 * Makes a file with an empty ext4 file system for an overlay's layers, so that a command that fills the
 * disk fills this. Null where the machine has no mkfs.ext4: the layers then lie in a plain directory and
 * only the limit of a single file's size holds.
 */
export function makeImage(path: string): string | null {
  const fd = openSync(path, "wx", 0o600);
  ftruncateSync(fd, LAYER_BYTES);
  closeSync(fd);
  try {
    execFileSync("mkfs.ext4", ["-q", "-F", "-m", "0", "-J", "size=16", "-E", "lazy_itable_init=1,lazy_journal_init=1,nodiscard", path], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { PATH: "/usr/sbin:/sbin:/usr/bin:/bin" },
      timeout: 30_000,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new AgentError("sandbox-unavailable", `The file system for the workspace's changes could not be made: ${(error as Error).message}`);
  }
  return path;
}
