import { randomUUID } from "node:crypto";
import { closeSync, cpSync, fchmodSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeVisibleLine } from "../../../base/text.ts";
import type { SandboxProfile } from "../../runtime.ts";
import { type Found, type Scan, SET_ID_BITS } from "./scan.ts";
import { scanAfterCommand } from "./all-roots.ts";
import { gitDirectoryOf, sharesRefs } from "./linked-repository.ts";
import { endFinishedPick } from "./unfinished-git.ts";
import { isPublicFile } from "../files/public-parts.ts";
import { withFile } from "../files/content.ts";
import { entryOf, openTree, withParent } from "../files/tree.ts";

// In a bound workspace what a command makes is on the host at once. Masks and read-only mounts hold what was there when the session
// began; what a policy names and a command made since is found after each command.

/** Looks after a bound workspace. */
export type BoundWatch = {
  /**
   * Takes back what a command must not leave: new paths that policy forbids or protects go into
   * quarantine, setuid and setgid bits are removed. What cannot be judged or taken back keeps it from nothing else.
   */
  check(): Checked;
  /** The workspace is a worktree, and what all worktrees share of its repository is read-only (`boundRoots`). */
  readonly sharesRefs: boolean;
};

export type Checked = {
  /** What went into quarantine. */ readonly taken: readonly string[];
  /** What cannot be judged, or taken back, and why. */ readonly faults: readonly string[];
};

const MAX_FAULT_CHARACTERS = 300;

/** Of a name in quarantine: a number comes before it, and it has at most three bytes for each of these. */
const MAX_NAME_CHARACTERS = 64;

/** `scans` are those of the session's start: what they found is mounted over, everything else is new. */
export function watchBound(profile: SandboxProfile, scans: readonly Scan[], quarantine: string): BoundWatch {
  const known = new Set(scans.flatMap((scan) => [...scan.masked, ...scan.shown, ...scan.guarded].map((found) => found.path)));
  const { repository } = profile;
  const worktree = repository !== undefined && sharesRefs(profile, repository) ? gitDirectoryOf(repository) : null;
  let last: number | null = null;
  const nextPlace = (path: string): string => {
    mkdirSync(quarantine, { recursive: true, mode: 0o700 });
    // What an earlier session of the run left there stays.
    last = (last ?? readdirSync(quarantine).reduce((most, name) => Math.max(most, Number.parseInt(name, 10) || 0), 0)) + 1;
    return join(quarantine, `${String(last)}-${basename(path).slice(0, MAX_NAME_CHARACTERS)}`);
  };
  return {
    sharesRefs: worktree !== null,
    check: () => {
      const taken: string[] = [];
      const faults: string[] = [];
      const attempt = (path: string, act: () => void): void => {
        try {
          act();
        } catch (error) {
          faults.push(briefly(`${path}: ${(error as Error).message}`));
        }
      };
      for (const [index, scan] of scanAfterCommand(profile, (complaint) => faults.push(briefly(complaint))).entries()) {
        const root = profile.roots[index];
        if (root === undefined || root.access === "read") continue;
        const ofKeys = new Set(scan.keys);
        const isPublic = ({ path, type }: Found): boolean => type === "file" && ofKeys.has(path) && isPublicFile(path);
        for (const found of outermost([...scan.masked, ...scan.guarded].filter((entry) => !known.has(entry.path) && !isPublic(entry))))
          attempt(found.path, () => {
            takeAway(root.path, found, nextPlace(found.path));
            taken.push(makeVisibleLine(found.path));
          });
        for (const [path, stats] of scan.entries) if (stats.isFile() && (stats.mode & SET_ID_BITS) !== 0) attempt(path, () => stripSetId(root.path, path));
      }
      if (worktree !== null) attempt(worktree, () => endFinishedPick(worktree));
      return { taken, faults };
    },
  };
}

/**
 * Tells what a session's mounts hide or hold no longer, because somebody replaced it on the host: `rename` and `rmdir` there detach every mount on the old
 * file, in the sandbox too (`detach_mounts` in the kernel's fs/namei.c). Of roots that are bound; an overlay's own entries stay what they are.
 */
export function watchMounts(roots: readonly { readonly isReadOnly: boolean; readonly scan: Scan }[]): () => readonly string[] {
  const paths = roots.flatMap(({ isReadOnly, scan }) => [...scan.masked, ...scan.shown, ...(isReadOnly ? [] : scan.guarded)].map(({ path }) => path));
  const identities = new Map(paths.map((path) => [path, identityAt(path)]));
  return () => [...identities].filter(([path, identity]) => identityAt(path) !== identity).map(([path]) => makeVisibleLine(path));
}

/** The number of a file alone comes back soon; null where there is none. */
function identityAt(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? null : `${String(stats.dev)}:${String(stats.ino)}:${String(stats.birthtimeNs)}`;
}

/** A path that is too long is not repeated to the end. */
function briefly(complaint: string): string {
  const line = makeVisibleLine(complaint);
  return line.length <= MAX_FAULT_CHARACTERS ? line : `${line.slice(0, MAX_FAULT_CHARACTERS - 100)}…${line.slice(-100)}`;
}

/** What lies in another found directory goes with it. */
function outermost(found: readonly Found[]): readonly Found[] {
  const paths = new Set(found.map(({ path }) => path));
  return found.filter(({ path }) => {
    for (let at = dirname(path); at !== "/"; at = dirname(at)) if (paths.has(at)) return false;
    return true;
  });
}

function takeAway(root: string, found: Found, target: string): void {
  const tree = openTree(root);
  try {
    withParent(tree, found.path.slice(root.length + 1), (parent, name) => {
      const source = entryOf(parent, name);
      if (isMoved(source, target)) return;
      // Out of the way first: what cannot be copied must not stay where it counts. A name that a command knew before could be taken.
      const aside = entryOf(parent, `.warder-quarantined-${randomUUID()}`);
      renameSync(source, aside);
      cpSync(aside, target, { recursive: true, verbatimSymlinks: true, filter: isCopied });
      rmSync(aside, { recursive: true, force: true });
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
    withFile(tree, path.slice(root.length + 1), (fd, { mode }) => {
      fchmodSync(fd, mode & 0o777);
    });
  } finally {
    closeSync(tree);
  }
}
