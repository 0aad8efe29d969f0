import { execFile, execFileSync } from "node:child_process";
import { closeSync, existsSync, ftruncateSync, openSync, readdirSync, readFileSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { AgentError } from "../../base/errors.ts";

/** How much a run may write into its workspace. The file is sparse: it takes what is written. */
export const LAYER_BYTES = 8 * 1024 ** 3;

/** With less than this no run does anything useful, and the records need room too. */
const MIN_LAYER_BYTES = 64 * 1024 ** 2;

/**
 * Makes a file with an empty ext4 file system for an overlay's layers, so that a command that fills the
 * disk fills this. Null where the machine has no mkfs.ext4: the layers then lie in a plain directory and
 * only the limit of a single file's size holds.
 */
export function makeImage(path: string): string | null {
  allocate(path);
  try {
    execFileSync("mkfs.ext4", [...MKFS_ARGUMENTS, path], { stdio: ["ignore", "ignore", "pipe"], ...MKFS_OPTIONS });
  } catch (error) {
    return refused(error);
  }
  return path;
}

/** The same, while this process does something else. */
export async function makeImageMeanwhile(path: string): Promise<string | null> {
  allocate(path);
  try {
    await promisify(execFile)("mkfs.ext4", [...MKFS_ARGUMENTS, path], MKFS_OPTIONS);
  } catch (error) {
    return refused(error);
  }
  return path;
}

const MKFS_ARGUMENTS = ["-q", "-F", "-m", "0", "-J", "size=16", "-E", "lazy_itable_init=1,lazy_journal_init=1,nodiscard"];
const MKFS_OPTIONS = { env: { PATH: "/usr/sbin:/sbin:/usr/bin:/bin" }, timeout: 30_000 };

function allocate(path: string): void {
  const { bavail, bsize } = statfsSync(dirname(path));
  // Never all that is left: when the disk is full, no ruling can be recorded.
  const bytes = Math.min(LAYER_BYTES, Math.floor((bavail * bsize * 0.9) / bsize) * bsize);
  if (bytes < MIN_LAYER_BYTES)
    throw new AgentError("sandbox-unavailable", `There is too little space left in ${dirname(path)} for a workspace's changes: free some.`);
  const fd = openSync(path, "wx", 0o600);
  ftruncateSync(fd, bytes);
  closeSync(fd);
}

function refused(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
  throw new AgentError("sandbox-unavailable", `The file system for the workspace's changes could not be made: ${(error as Error).message}`);
}

const RELEASE_TRIES = 100;
const RELEASE_PAUSE_MS = 50;

/**
 * Waits until the kernel has let go of an image: a lazy unmount ends when its last process does, and a
 * file system that is mounted twice is destroyed. Throws `sandbox-unavailable` when it stays in use.
 */
export async function waitForImage(path: string): Promise<void> {
  for (let tries = 0; isAttached(path); tries += 1) {
    if (tries === RELEASE_TRIES)
      throw new AgentError("sandbox-unavailable", `${path} is still mounted by a sandbox that has not ended. Try again when it has.`);
    await sleep(RELEASE_PAUSE_MS);
  }
}

/** Whether a loop device holds the file (sysfs: /sys/block/loopN/loop/backing_file). */
function isAttached(path: string): boolean {
  return readdirSync("/sys/block")
    .filter((name) => name.startsWith("loop"))
    .map((name) => `/sys/block/${name}/loop/backing_file`)
    .some((file) => existsSync(file) && readIfThere(file) === path);
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    // Let go of between the two looks.
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENXIO" || code === "ENODEV") return null;
    throw error;
  }
}
