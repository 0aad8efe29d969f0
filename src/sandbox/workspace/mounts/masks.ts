import { AgentError } from "../../../base/errors.ts";
import type { PlannedMount } from "../../mounts.ts";
import type { PublicCopies } from "./public-copies.ts";
import type { Scan } from "../scan/scan.ts";

/** Every mount costs time at the start and a line in each process's mount table. */
const MAX_MOUNTS = 2000;

export type MaskSources = {
  /** An empty file that nobody may read. */ readonly file: string;
  /** An empty directory that nobody may enter. */ readonly directory: string;
  readonly copies: PublicCopies;
};

export type MaskedRoot = {
  readonly path: string;
  /** What is mounted at `path`: the root itself, the merged overlay, or the identity-mapped mount. */
  readonly source: string;
  readonly isReadOnly: boolean;
  readonly scan: Scan;
};

/**
 * The mounts of one root: itself, then what hides forbidden paths, holds protected ones, and pins every
 * directory above them. Without the pins `mv .git g; mkdir -p .git/hooks` would move a mount away and
 * put a writable hook into its place; renaming a mount point fails with EBUSY.
 */
export function mountsOfRoot(root: MaskedRoot, sources: MaskSources): readonly PlannedMount[] {
  const sourceOf = (path: string): string => root.source + path.slice(root.path.length);
  const mounts: PlannedMount[] = [{ kind: "bind", source: root.source, target: root.path, isReadOnly: root.isReadOnly }];
  const guarded = root.isReadOnly ? [] : root.scan.guarded;
  const held = new Set(guarded.map((found) => found.path));
  if (!root.isReadOnly)
    for (const path of pinnedDirectories(root, held)) mounts.push({ kind: "bind", source: sourceOf(path), target: path, isReadOnly: false });
  for (const found of guarded) mounts.push({ kind: "bind", source: sourceOf(found.path), target: found.path, isReadOnly: true });
  for (const found of root.scan.masked) mounts.push({ kind: "bind", source: sources[found.type], target: found.path, isReadOnly: true });
  for (const { path } of root.scan.shown) {
    const source = sources.copies.get(path);
    if (source === undefined) throw new AgentError("broken-invariant", "A file was measured and not kept.");
    mounts.push({ kind: "bind", source, target: path, isReadOnly: true });
  }
  if (mounts.length > MAX_MOUNTS)
    throw new AgentError(
      "bad-configuration",
      `${root.path} needs ${String(mounts.length)} mounts for forbidden and protected paths, ${String(MAX_MOUNTS)} are possible: forbid directories instead of single files.`,
    );
  return mounts;
}

function pinnedDirectories(root: MaskedRoot, held: ReadonlySet<string>): readonly string[] {
  const pinned = new Set<string>();
  for (const found of [...root.scan.guarded, ...root.scan.masked, ...root.scan.shown]) {
    const above: string[] = [];
    for (let path = parentOf(found.path); path.length > root.path.length; path = parentOf(path)) above.push(path);
    // What lies in a directory that is mounted read-only cannot be renamed; from that directory upwards it can.
    const holder = above.findLastIndex((path) => held.has(path));
    for (const path of above.slice(holder + 1)) pinned.add(path);
  }
  return [...pinned];
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
