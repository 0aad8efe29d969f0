import type { Stats } from "node:fs";
import { type Manifest, signatureOf } from "../scan/manifest.ts";
import { type DirectoryFd, statEntry } from "../files/tree.ts";

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
  return {
    before: (path, current) => {
      if (current === null || current.isDirectory() || current.nlink < 2) return () => undefined;
      const intact = others(path).filter((name) => signatureAt(lower, name) === manifest.get(name));
      return () => {
        for (const name of intact) refresh(manifest, name, signatureAt(lower, name));
      };
    },
    settle: (path) => {
      for (const name of others(path)) {
        const now = signatureAt(lower, name);
        if (withoutCtime(now) === withoutCtime(manifest.get(name) ?? null)) refresh(manifest, name, now);
      }
    },
  };
}

function refresh(manifest: Manifest, name: string, signature: string | null): void {
  if (signature !== null) manifest.set(name, signature);
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

function withoutCtime(signature: string | null): string | null {
  return signature === null ? null : signature.slice(0, signature.lastIndexOf(" "));
}
