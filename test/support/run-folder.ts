import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mountsBelow, removeTree } from "../../src/sandbox/workspace/mounts/directories.ts";

/** What tests make lies here, so that it goes with the run, whatever became of a test: see {@link setup}. */
const NAME = "warder-tests";
/** A file system that an overlay can lie on, which the system's own folder for temporary files may not be. */
const DISK = "/var/tmp";
/** What Node.js compiled of the programs that tests start hundreds of times, kept where bin/warder keeps it too. */
const COMPILED = join(import.meta.dirname, "..", "..", ".tools", "compile-cache");
/** Several times what one checkout fills. */
const MAX_COMPILED = 10_000;

/** A folder for what an overlay lies on: that of the run of tests, or the system's where no tests are run. On a disk for whoever is not root. */
export function diskFolder(): string {
  return process.env["TEST_DISK"] ?? DISK;
}

/**
 * Makes PARENT/NAME-PID, this process's own, and removes those of processes that are gone, with what is mounted below: a process that is
 * killed removes nothing itself.
 */
export function ownFolder(parent: string, name: string): string {
  for (const entry of readdirSync(parent)) {
    const [, pid] = new RegExp(`^${name}-(\\d+)$`, "u").exec(entry) ?? [];
    if (pid !== undefined && !isAlive(pid) && isOurs(join(parent, entry))) removeFolder(join(parent, entry));
  }
  const own = join(parent, `${name}-${process.pid}`);
  removeFolder(own);
  mkdirSync(own);
  // As open as what it stands for.
  chmodSync(own, 0o1777);
  return own;
}

/** Removes what {@link setup} made for a run of vitest whose process was killed. */
export function removeRunFolders(pid: number): void {
  for (const parent of [tmpdir(), DISK]) removeFolder(join(parent, `${NAME}-${String(pid)}`));
}

/** Unmounts what is mounted below a folder, and removes it. What still writes there has a few seconds to end. */
export function removeFolder(path: string): void {
  for (const mount of mountsBelow(path).toReversed()) spawnSync("umount", ["--lazy", mount]);
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  } catch (error) {
    // What nobody may enter keeps out whoever is not root.
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    removeTree(path);
  }
}

/** Another user's folders are not ours to remove. */
function isOurs(path: string): boolean {
  return process.getuid?.() === 0 || statSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

/** Copies of the checkout leave what was compiled of them, under paths that never come again. */
function boundCompiled(): void {
  if (!existsSync(COMPILED)) return;
  for (const version of readdirSync(COMPILED)) {
    const folder = join(COMPILED, version);
    if (readdirSync(folder).length > MAX_COMPILED) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** As root, so that no test waits for the disk: databases and git write each small change through to it. The tests of ordinary users stay on one. */
function keepInMemory(folder: string): void {
  if (process.getuid?.() === 0) spawnSync("mount", ["-t", "tmpfs", "-o", "mode=1777", "warder-tests", folder]);
}

function isAlive(pid: string): boolean {
  try {
    // State and all that follows the name: a process that ended and was not waited for is gone.
    return !/^\S+ \(.*\) [ZX]/su.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

/** Gives what the tests of a run of vitest make a folder that goes with the run, and says at the end what they left in it. */
export function setup(): () => void {
  // Each group of tests asks for it.
  if (process.env["TEST_DISK"]?.endsWith(`-${process.pid}`) === true) return () => undefined;
  const folders = { TMPDIR: ownFolder(tmpdir(), NAME), TEST_DISK: ownFolder(DISK, NAME) };
  // One folder, where temporary files are on the disk anyway.
  const each = new Set(Object.values(folders));
  for (const folder of each) keepInMemory(folder);
  boundCompiled();
  const environment = { ...folders, NODE_COMPILE_CACHE: COMPILED };
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, environment);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    for (const folder of each) {
      const left = readdirSync(folder);
      if (left.length > 0) console.warn(`Tests left in ${folder}, which is removed: ${left.join(", ")}`);
      removeFolder(folder);
    }
  };
}
