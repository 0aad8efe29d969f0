import { closeSync, cpSync, fchmodSync, fstatSync, lstatSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeVisibleLine } from "../../base/text.ts";
import type { SandboxProfile } from "../runtime.ts";
import type { Found, Scan } from "./scan.ts";
import { surveyAfterCommand } from "./survey.ts";
import { openFile, openTree, withParent } from "./tree.ts";

// In a bound workspace what a command makes is on the host at once. Masks and read-only mounts hold what was there when the session
// began; what a policy names and a command made since is found after each command.

const SET_ID_BITS = 0o6000;

/** Looks after a bound workspace. */
export type BoundWatch = {
  /**
   * Takes back what a command must not leave: new paths that policy forbids or protects go into
   * quarantine, setuid and setgid bits are removed. Returns what went into quarantine.
   */
  check(): readonly string[];
};

/** `scans` are those of the session's start: what they found is mounted over, everything else is new. */
export function watchBound(profile: SandboxProfile, scans: readonly Scan[], quarantine: string): BoundWatch {
  const known = new Set(scans.flatMap((scan) => [...scan.masked, ...scan.guarded].map((found) => found.path)));
  let taken = 0;
  return {
    check: () => {
      const names: string[] = [];
      for (const [index, scan] of surveyAfterCommand(profile).entries()) {
        const root = profile.roots[index];
        if (root === undefined || root.access === "read") continue;
        for (const found of outermost([...scan.masked, ...scan.guarded].filter((entry) => !known.has(entry.path)))) {
          taken += 1;
          takeAway(root.path, found, join(quarantine, `${String(taken)}-${basename(found.path)}`));
          names.push(makeVisibleLine(found.path));
        }
        for (const [path, stats] of scan.entries) if (stats.isFile() && (stats.mode & SET_ID_BITS) !== 0) stripSetId(root.path, path);
      }
      return names;
    },
  };
}

/** What lies in another found directory goes with it. */
function outermost(found: readonly Found[]): readonly Found[] {
  return found.filter((entry) => !found.some((other) => other !== entry && entry.path.startsWith(`${other.path}/`)));
}

function takeAway(root: string, found: Found, target: string): void {
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const tree = openTree(root);
  try {
    withParent(tree, found.path.slice(root.length + 1), (parent, name) => {
      const source = `/proc/self/fd/${String(parent)}/${name}`;
      if (isMoved(source, target)) return;
      cpSync(source, target, { recursive: true, verbatimSymlinks: true, filter: isCopied });
      rmSync(source, { recursive: true, force: true });
    });
  } finally {
    closeSync(tree);
  }
}

function isMoved(source: string, target: string): boolean {
  try {
    renameSync(source, target);
    return true;
  } catch (error) {
    // The run directory lies on another file system.
    if ((error as NodeJS.ErrnoException).code === "EXDEV") return false;
    throw error;
  }
}

/** Sockets, FIFOs and devices are removed without a copy. */
function isCopied(path: string): boolean {
  const stats = lstatSync(path);
  return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
}

function stripSetId(root: string, path: string): void {
  const tree = openTree(root);
  try {
    const fd = withParent(tree, path.slice(root.length + 1), openFile);
    if (fd === null) return;
    try {
      fchmodSync(fd, fstatSync(fd).mode & 0o777);
    } finally {
      closeSync(fd);
    }
  } finally {
    closeSync(tree);
  }
}
