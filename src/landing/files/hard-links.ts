import type { Stats } from "node:fs";
import { type Manifest, signatureOf } from "../../sandbox/workspace/scan/manifest.ts";
import { type DirectoryFd, statEntry } from "../../sandbox/workspace/files/tree.ts";

// Taking one name of a file away changes the ctime of its other names: without a second look they would be conflicts with ourselves.

/** The other names of files in the workspace. */
export type HardLinks = {
  /**
   * To be called before a name is replaced or removed; what comes back, after it was done. Names that somebody else changed
   * meanwhile stay conflicts.
   */
  before(path: string, current: Stats | null): () => void;
  /** The same afterwards, for a name that an interrupted landing took away: names whose ctime alone is another now are as they were. */
  settle(path: string): void;
};

export function hardLinksOf(manifest: Manifest, lower: DirectoryFd): HardLinks {
  let byInode: Map<string, string[]> | null = null;
  const others = (path: string): readonly string[] => {
    const inode = inodeIn(manifest.get(path));
    return inode === null ? [] : ((byInode ??= indexByInode(manifest)).get(inode) ?? []).filter((name) => name !== path);
  };
  const refresh = (name: string): void => {
    const now = signatureAt(lower, name);
    if (now !== null && isSameButForCtime(now, manifest.get(name) ?? null)) manifest.set(name, now);
  };
  return {
    before: (path, current) => {
      if (current === null || current.isDirectory() || current.nlink < 2) return () => undefined;
      const intact = others(path).filter((name) => signatureAt(lower, name) === manifest.get(name));
      return () => {
        for (const name of intact) refresh(name);
      };
    },
    settle: (path) => {
      for (const name of others(path)) refresh(name);
    },
  };
}

function signatureAt(lower: DirectoryFd, path: string): string | null {
  const stats = statEntry(lower, path);
  return stats === null ? null : signatureOf(stats);
}

function indexByInode(manifest: Manifest): Map<string, string[]> {
  const index = new Map<string, string[]>();
  for (const [path, signature] of manifest) {
    const inode = inodeIn(signature);
    if (inode === null) continue;
    const names = index.get(inode);
    if (names === undefined) index.set(inode, [path]);
    else names.push(path);
  }
  return index;
}

/** manifest.ts: type, inode, size, mtime, ctime. */
function inodeIn(signature: string | undefined): string | null {
  return signature === undefined || signature.startsWith("d ") ? null : (signature.split(" ")[1] ?? null);
}

export function isSameButForCtime(one: string | null, other: string | null): boolean {
  return withoutCtime(one) === withoutCtime(other);
}

function withoutCtime(signature: string | null): string | null {
  return signature === null ? null : signature.slice(0, signature.lastIndexOf(" "));
}
