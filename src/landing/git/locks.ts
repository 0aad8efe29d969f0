import { closeSync, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isOwnerAlive, ownerOf } from "../../sandbox/owner.ts";
import { entryOf, openTree, statEntry, withParent } from "../../sandbox/workspace/files/tree.ts";
import type { HeldLock } from "../../sandbox/workspace/repository/noted.ts";

// A git that is killed leaves its locks, and nobody can tell later whose they were. So those that our git holds are written down while it holds them.

/** Git takes the lock of an index before it reads what shall change. */
const WAIT_MS = 2_000;

/** The locks that a process has open, as soon as there are some; none when it ends before. */
export async function openedLocks(pid: number, hasEnded: () => boolean): Promise<readonly HeldLock[]> {
  for (const startedMs = performance.now(); !hasEnded() && performance.now() - startedMs < WAIT_MS; await pause(2)) {
    const found = openedBy(pid).filter((path) => path.endsWith(".lock"));
    if (found.length > 0) return locksAt(found, pid);
  }
  return [];
}

function openedBy(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${String(pid)}/fd`).map((fd) => readlinkSync(`/proc/${String(pid)}/fd/${fd}`));
  } catch (error) {
    // It has ended, or has closed what was listed.
    if (["ENOENT", "ESRCH", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

/** Of all refs, where they lie in tables. */
const TABLES_LOCK = "reftable/tables.list.lock";

/** The locks of refs that git has prepared to move, by the commands that say so. */
export function refLocks(directory: string, commands: string, pid: number): readonly HeldLock[] {
  const link = join(directory, "commondir");
  const common = existsSync(link) ? resolve(directory, readFileSync(link, "utf8").trim()) : directory;
  const lines = commands.split("\n").filter((line) => line !== "");
  const names = new Set(lines.map((line) => line.split(" ")[1] ?? ""));
  // With the branch that is checked out git locks HEAD, and where a ref goes, the list of packed ones: it would have failed if somebody else held them.
  const [, standing = ""] = /^ref: (.*)$/mu.exec(readFileSync(join(directory, "HEAD"), "utf8")) ?? [];
  if (names.has(standing)) names.add("HEAD");
  const places = [...names].map((name) => join(name.startsWith("refs/") ? common : directory, `${name}.lock`));
  const shared = [...(lines.some((line) => line.startsWith("delete ")) ? ["packed-refs.lock"] : []), TABLES_LOCK].map((file) => join(common, file));
  return locksAt([...places, ...shared, join(directory, TABLES_LOCK)], pid);
}

function locksAt(paths: readonly string[], pid: number): readonly HeldLock[] {
  const owner = ownerOf(pid);
  if (owner === null) return [];
  return paths.flatMap((path) => {
    const stats = existsSync(path) ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
    return stats?.isFile() === true ? [{ path, dev: stats.dev, ino: stats.ino, birthtimeMs: stats.birthtimeMs, owner }] : [];
  });
}

/** Removes those that are still there and whose git is dead: it ends with the process that started it. No link is followed on the way. */
export async function releaseLocks(locks: readonly HeldLock[]): Promise<void> {
  if (locks.length === 0) return;
  const root = openTree("/");
  const startedMs = performance.now();
  try {
    for (const { path, dev, ino, birthtimeMs, owner } of locks) {
      while (isOwnerAlive(owner) && performance.now() - startedMs < WAIT_MS) await pause(10);
      if (isOwnerAlive(owner)) continue;
      const relative = path.slice(1);
      const now = statEntry(root, relative);
      if (now?.isFile() !== true || now.dev !== dev || now.ino !== ino || now.birthtimeMs !== birthtimeMs) continue;
      withParent(root, relative, (parent, name) => {
        rmSync(entryOf(parent, name));
      });
    }
  } finally {
    closeSync(root);
  }
}

/** What to do about a lock that is in the way and is not known to be ours, for the end of a complaint; or nothing. */
export function lockAdvice(complaint: string): string {
  // Of tables, git names no file.
  const [, path] =
    /Unable to create '(.*\.lock)': File exists/u.exec(complaint) ?? (complaint.endsWith("cannot lock references") ? ["", `.git/${TABLES_LOCK}`] : []);
  return path === undefined ? "" : ` Where no git is running, one that was killed has left it. Then remove it, and try again: rm '${path}'`;
}
