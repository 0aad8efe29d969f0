import { execFile, execFileSync } from "node:child_process";
import { closeSync, ftruncateSync, openSync, readdirSync, readFileSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { AgentError } from "../../../base/errors.ts";
import { endProcess, holdersOf, type ImageHolder } from "./image-holders.ts";
import type { WorkspaceRecord } from "../record.ts";

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

/** A sandbox that stands still does not end by itself, nor by a signal: its engine ends it. */
const PATIENCE_MS = 500;
/** A sandbox that was killed ends within this; the kernel then still writes what the file system holds. */
const RELEASE_LIMIT_MS = 60_000;
const RELEASE_PAUSE_MS = 50;

/**
 * Waits until nobody works with a run's layers any more: a lazy unmount ends when the last process of the sandbox does. What is left of the
 * sandbox is killed, for this process has the run now. Views of this machine's mounts that others copied meanwhile may last for hours and
 * are not waited for: who mounts the image again gets the file system that they hold. `end` is called when it takes long. Throws `sandbox-unavailable` when it stays in use, and says by what.
 */
export async function waitForImage(record: Pick<WorkspaceRecord, "image" | "overlay">, end: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
  const { image } = record;
  if (image === null) return;
  const overlay = record.overlay ?? null;
  const startedMs = performance.now();
  const deadline = startedMs + RELEASE_LIMIT_MS;
  let hasEnded = false;
  for (let device = deviceOf(image); device !== null; device = deviceOf(image)) {
    const holders = holdersOf(device, overlay);
    const sandboxes = holders.filter(({ kind }) => kind === "sandbox");
    for (const pid of sandboxes.flatMap(({ processes }) => processes)) endProcess(pid);
    if (overlay !== null && holders.length > 0 && sandboxes.length === 0) return;
    if (performance.now() > deadline) throw stillInUse(image, holders);
    if (!hasEnded && sandboxes.length > 0 && performance.now() - startedMs > PATIENCE_MS) {
      hasEnded = true;
      await end();
    }
    await sleep(RELEASE_PAUSE_MS);
  }
}

function stillInUse(image: string, holders: readonly ImageHolder[]): AgentError {
  const by = holders.length === 0 ? "the kernel, which shows no process that does" : holders.map(({ name }) => name).join(", ");
  return new AgentError("sandbox-unavailable", `${image} is still in use by ${by}. Try again when that has ended.`);
}

/** The device that holds a file, as mountinfo names it ("7:0"), or null (sysfs: /sys/block/loopN/dev and loop/backing_file). */
export function deviceOf(path: string): string | null {
  const found = readdirSync("/sys/block")
    .filter((name) => name.startsWith("loop"))
    .find((name) => readIfThere(`/sys/block/${name}/loop/backing_file`) === path);
  return found === undefined ? null : readIfThere(`/sys/block/${found}/dev`);
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    // No file is attached, or it was let go of between the two looks.
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENXIO" || code === "ENODEV") return null;
    throw error;
  }
}
