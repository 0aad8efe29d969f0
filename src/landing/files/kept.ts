import type { Stats } from "node:fs";
import type { Change } from "../../sandbox/runtime.ts";
import { mountsBelow } from "../../sandbox/workspace/mounts/directories.ts";
import { type Manifest, signatureOf } from "../../sandbox/workspace/scan/manifest.ts";

/** Why what lies in the workspace stays as it is. Kinds are those of flags. */
export type Kept = { readonly kind: "conflict" | "mount" | "other-owner" | "hard-link"; readonly reason: string };

/** Why somebody else's change since the session began is not written over, or null. `current`: what lies there now. */
export function conflictReason(path: string, current: Stats | null, manifest: Manifest, since = "the session began"): string | null {
  const before = manifest.get(path);
  if (before === undefined) return current === null ? null : `Conflict: somebody put something there since ${since}. Theirs stays.`;
  if (current === null) return `Conflict: somebody removed it since ${since}. It stays removed.`;
  return signatureOf(current) === before ? null : `Conflict: somebody changed it since ${since}. Theirs stays.`;
}

/** Relative paths of the places below the workspace where something else is mounted. */
export function mountsIn(workspace: string): readonly string[] {
  return mountsBelow(workspace)
    .filter((point) => point !== workspace)
    .map((point) => point.slice(workspace.length + 1));
}

/** An overlay shows one file system: what is mounted below was not there for the run, which wrote into an empty directory. */
export function mountReason(path: string, mounts: readonly string[]): string | null {
  const found = mounts.find((mount) => path === mount || path.startsWith(`${mount}/`));
  return found === undefined ? null : `Another file system is mounted on ${found}, which the run did not see: nothing lands there.`;
}

/**
 * What a change would take from the file that is there: it belongs to somebody else, or it is one file under several names, which a landing would part.
 * `owner`: the workspace's.
 */
export function ownReason({ kind, type }: Pick<Change, "kind" | "type">, current: Stats | null, owner: number): Kept | null {
  if (current === null || (kind === "added" && type === "directory")) return null;
  if (current.uid !== owner)
    return { kind: "other-owner", reason: `It belongs to another user (${String(current.uid)}) than the workspace: it lands only when its path is named.` };
  if (kind === "deleted" || type !== "file" || !current.isFile() || current.nlink < 2) return null;
  return {
    kind: "hard-link",
    reason: `It is one file under ${String(current.nlink)} names (hard links), which would part: it lands only when its path is named.`,
  };
}
