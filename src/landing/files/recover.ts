import { closeSync, existsSync, rmSync, type Stats } from "node:fs";
import type { Layers } from "../../sandbox/workspace/files/layers.ts";
import { type DirectoryFd, entryOf, linkTarget, namesIn, openTree, statEntry, withParent } from "../../sandbox/workspace/files/tree.ts";
import { type Manifest, signatureOf } from "../../sandbox/workspace/scan/manifest.ts";
import type { ApplyProgram } from "../../sandbox/workspace/changes/apply-program.ts";
import { type HardLinks, isSameButForCtime } from "./hard-links.ts";
import { isTemporary } from "./interrupted-writes.ts";
import type { Before, Journal, Written } from "../../sandbox/workspace/changes/journal.ts";
import { digestOfFile } from "./plan.ts";

export type Recovery = { readonly layers: Layers; readonly manifest: Manifest; readonly program: ApplyProgram; readonly hardLinks: HardLinks };

/**
 * Brings the manifest up to date with what an interrupted landing did, and removes the temporary files that it left. What somebody
 * else changed since stays a conflict.
 */
export async function recoverJournal({ begun, kept }: Pick<Journal, "begun" | "kept">, recovery: Recovery): Promise<void> {
  const { layers, manifest, program } = recovery;
  const directories = new Set<string>();
  for (const path of begun) {
    directories.add(path.slice(0, Math.max(0, path.lastIndexOf("/"))));
    settle(path, recovery);
  }
  settleKept(begun, kept, recovery);
  dropHalfKept(begun, kept, recovery);
  for (const directory of directories) {
    for (const name of namesIn(layers.lower, directory)) {
      const path = directory === "" ? name : `${directory}/${name}`;
      if (isTemporary(name) && !manifest.has(path)) await program.perform(["remove", path, "any"]);
    }
  }
}

/** A file that was kept under a second name, and was not replaced after all, has another time of change by that alone. */
export function settleKept(paths: readonly string[], kept: string | null, { layers, manifest }: Pick<Recovery, "layers" | "manifest">): void {
  if (kept === null || paths.length === 0 || !existsSync(kept)) return;
  const keptTree: DirectoryFd = openTree(kept);
  try {
    for (const path of paths) {
      const current = statEntry(layers.lower, path);
      const before = manifest.get(path);
      if (current === null || before === undefined || statEntry(keptTree, path)?.ino !== current.ino) continue;
      const now = signatureOf(current);
      if (isSameButForCtime(now, before)) manifest.set(path, now);
    }
  } finally {
    closeSync(keptTree);
  }
}

/** As `warder-host` names what it is keeping (sandbox/host/keep.c). */
const HALF_KEPT = ".warder-kept.tmp";

/** The same of a file that was about to be kept: its second name goes, which again is a change of its time alone. */
function dropHalfKept(begun: readonly string[], kept: string | null, { layers, manifest }: Pick<Recovery, "layers" | "manifest">): void {
  if (kept === null || begun.length === 0 || !existsSync(kept)) return;
  const keptTree: DirectoryFd = openTree(kept);
  try {
    const inDirectories = Map.groupBy(begun, (path) => path.slice(0, path.lastIndexOf("/") + 1));
    for (const [directory, paths] of inDirectories) {
      const half = statEntry(keptTree, `${directory}${HALF_KEPT}`);
      if (half === null) continue;
      withParent(keptTree, `${directory}${HALF_KEPT}`, (parent, name) => {
        rmSync(entryOf(parent, name));
      });
      for (const path of paths) {
        const current = statEntry(layers.lower, path);
        if (current?.ino !== half.ino || current.dev !== half.dev) continue;
        const now = signatureOf(current);
        if (isSameButForCtime(now, manifest.get(path) ?? "")) manifest.set(path, now);
      }
    }
  } finally {
    closeSync(keptTree);
  }
}

/** Brings the manifest up to date with what an interrupted undo did. */
export function settleUndone(journals: readonly Written[], { layers, manifest }: Pick<Recovery, "layers" | "manifest">): void {
  for (const { isUndoing, paths } of journals)
    if (isUndoing) for (const [path, before] of paths) if (isAsBefore(layers.lower, path, before)) refresh(manifest, path, statEntry(layers.lower, path));
}

export function refresh(manifest: Manifest, path: string, current: Stats | null): void {
  if (current === null) manifest.delete(path);
  else manifest.set(path, signatureOf(current));
}

/** Whether what stands at a path is what stood there before it was landed on. */
export function isAsBefore(lower: DirectoryFd, path: string, before: Before): boolean {
  const current = statEntry(lower, path);
  if (before === null || current === null) return before === null && current === null;
  if (current.uid !== before.uid || current.gid !== before.gid) return false;
  if (before.type === "link") return current.isSymbolicLink() && linkTarget(lower, path) === before.target;
  if ((current.mode & 0o7777) !== before.mode) return false;
  if (before.type === "directory") return current.isDirectory();
  if (before.type === "other" || !current.isFile()) return false;
  return before.digest === undefined ? isSameButForCtime(signatureOf(current), before.signature) : digestOfFile(lower, path) === before.digest;
}

function settle(path: string, { layers, manifest, hardLinks }: Omit<Recovery, "program">): void {
  const current = statEntry(layers.lower, path);
  if (current === null || manifest.get(path) !== signatureOf(current)) hardLinks.settle(path);
  if (current === null) {
    // Whoever removed it, there is nothing that landing could take from somebody.
    manifest.delete(path);
    return;
  }
  if (manifest.get(path) === signatureOf(current)) return;
  const wanted = statEntry(layers.upper, path);
  if (wanted === null) return;
  const isLanded =
    (wanted.isDirectory() && current.isDirectory()) ||
    (wanted.isSymbolicLink() && current.isSymbolicLink() && linkTarget(layers.upper, path) === linkTarget(layers.lower, path)) ||
    (wanted.isFile() && current.isFile() && wanted.size === current.size && digestOfFile(layers.upper, path) === digestOfFile(layers.lower, path));
  if (isLanded) manifest.set(path, signatureOf(current));
}
