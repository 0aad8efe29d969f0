import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { makeVisibleLine } from "../../base/text.ts";
import type { Change } from "../../sandbox/runtime.ts";
import type { MayWrite } from "./report.ts";
import { bareRepositoryReason } from "../git/bare.ts";
import { fill, withFile } from "../../sandbox/workspace/files/content.ts";
import type { Layers } from "../../sandbox/workspace/files/layers.ts";
import { isPublicFile } from "../../sandbox/workspace/files/public-parts.ts";
import type { ApplyRecord } from "../../sandbox/workspace/changes/apply-program.ts";
import { conflictReason, mountReason, ownReason } from "./kept.ts";
import { linkReason } from "./symlinks.ts";
import type { Manifest } from "../../sandbox/workspace/scan/manifest.ts";
import { repositoryReason } from "../../sandbox/workspace/repository/paths.ts";
import { temporaryReason } from "./interrupted-writes.ts";
import { type DirectoryFd, entryOf, linkTarget, namesIn, statEntry, withParent } from "../../sandbox/workspace/files/tree.ts";

/** What a change is planned against. */
export type Ground = {
  readonly workspace: string;
  readonly layers: Layers;
  /** What the workspace was at the start; brought up to date with what is applied. */
  readonly manifest: Manifest;
  /** Takes an absolute path; why a run may not write there, or null. */
  readonly mayWrite: MayWrite;
  /** Relative paths on which something else is mounted. */
  readonly mounts: readonly string[];
  /** Whose the workspace is. */
  readonly owner: number;
  /** Whether somebody named just this path. */
  readonly isNamed: (path: string) => boolean;
  /** What landed is taken back: of each path, what was there. It was the person's own, and is judged by no policy. */
  readonly undo?: (path: string) => Pick<Stats, "uid" | "gid"> | null;
};

/** What a change is judged by, whatever is there now. */
type Place = Pick<Ground, "workspace" | "layers" | "mayWrite" | "mounts">;

/** The records that make a change, or why there are none. */
export function planChange(change: Change, ground: Ground): readonly ApplyRecord[] | string {
  try {
    return planReadable(change, ground);
  } catch (error) {
    // Its owner, who lands it, may not read it either: without root that is so.
    if ((error as NodeJS.ErrnoException).code === "EACCES") return "It, or its directory, may not be read: give its owner the right in the run.";
    throw error;
  }
}

function planReadable(change: Change, ground: Ground): readonly ApplyRecord[] | string {
  const { path } = change;
  const { upper, lower } = ground.layers;
  const refusal = againstIn(ground)(change);
  if (refusal !== null) return refusal;
  const current = statEntry(lower, path);
  const kept = keptReason(change, current, ground);
  if (kept !== null) return kept;
  if (change.kind === "deleted") return current === null ? [] : removal(path, current, ground);
  const was = ground.undo?.(path);
  const mode = (change.mode & (ground.undo === undefined ? 0o777 : 0o7777)).toString(8).padStart(4, "0");
  if (change.kind === "mode") {
    if (current === null) return "It is not there any more.";
    const expected = expectedOf(path, current, lower);
    // Other names of the file keep their mode, as they did in the run.
    if (current.isFile() && current.nlink > 1) return [["put", path, expected, mode, String(current.uid), String(current.gid)]];
    return [["chmod", path, expected, mode]];
  }
  const isReplaced = current !== null && current.isDirectory() !== (change.type === "directory");
  const cleared = isReplaced ? removal(path, current, ground) : [];
  if (typeof cleared === "string") return cleared;
  const expected = current === null || isReplaced ? "absent" : expectedOf(path, current, lower);
  // A file that is changed keeps its owner; a new one belongs to whoever owns the workspace.
  const owned = was ?? (current === null || isReplaced ? { uid: -1, gid: -1 } : current);
  const owner = [String(owned.uid), String(owned.gid)];
  if (change.type === "directory") return [...cleared, ["mkdir", path, mode, ...owner]];
  if (change.type === "file") return [...cleared, ["put", path, expected, mode, ...owner]];
  const target = linkTarget(upper, path);
  if (target === null) return "The link is not there any more.";
  return [...cleared, ["link", path, expected, target, ...owner]];
}

function againstIn(ground: Ground): (change: Change) => string | null {
  return ground.undo === undefined ? (change) => reasonAgainst(change, ground) : ({ path }) => mountReason(path, ground.mounts);
}

/** Why a change is not made anywhere, whatever somebody did meanwhile; or null. */
export function reasonAgainst(change: Change, ground: Place): string | null {
  const { path, kind, type } = change;
  const leftover = kind === "added" ? temporaryReason(path) : null;
  const reason = pathReason(change, ground) ?? leftover;
  if (reason !== null || kind === "deleted") return reason;
  if (type === "other") return "Devices, pipes and sockets are not applied.";
  const target = type === "link" ? linkTarget(ground.layers.upper, path) : null;
  return target === null ? null : linkReason(ground.workspace, path, target, ground.mayWrite);
}

function pathReason(change: Pick<Change, "path" | "type" | "kind">, ground: Place): string | null {
  const { path, type, kind } = change;
  if (path.includes("\uFFFD")) return "The name is not UTF-8.";
  const steering = repositoryReason({ path, type, kind }) ?? bareRepositoryReason({ path, kind }, ground.layers);
  return steering ?? mountReason(path, ground.mounts) ?? writeReason({ path, type, kind }, ground);
}

/** A certificate may land under the name of a key: a new one, or one that takes the place of another. One may also go. */
function writeReason({ path, type, kind }: Pick<Change, "path" | "type" | "kind">, { workspace, layers, mayWrite }: Place): string | null {
  const reason = mayWrite(`${workspace}/${path}`);
  if (reason === null || type !== "file") return reason;
  const isPublic = (layer: Layers["upper"]): boolean => withParent(layer, path, (parent, name) => isPublicFile(entryOf(parent, name))) === true;
  const isBeforePublic = statEntry(layers.lower, path) === null || isPublic(layers.lower);
  return isBeforePublic && (kind === "deleted" || isPublic(layers.upper)) ? mayWrite(`${workspace}/${path}`, "public-parts") : reason;
}

/** Why what is there stays. */
function keptReason(change: Pick<Change, "path" | "kind" | "type">, current: Stats | null, { manifest, owner, isNamed, undo }: Ground): string | null {
  return (
    conflictReason(change.path, current, manifest, undo === undefined ? "the session began" : "it landed") ??
    (isNamed(change.path) ? null : (ownReason(change, current, owner)?.reason ?? null))
  );
}

/** Removes an entry, of a directory everything in it; or why one of them must stay. */
function removal(path: string, current: Stats, ground: Ground): readonly ApplyRecord[] | string {
  const { lower } = ground.layers;
  if (!current.isDirectory()) return [["remove", path, expectedOf(path, current, lower)]];
  const records: ApplyRecord[] = [];
  for (const name of namesIn(lower, path)) {
    const child = `${path}/${name}`;
    const stats = statEntry(lower, child);
    if (stats === null) continue;
    const deletion = { path: child, type: typeOf(stats), kind: "deleted" } as const;
    const reason = againstIn(ground)({ ...deletion, size: 0, mode: 0 }) ?? keptReason(deletion, stats, ground);
    if (reason !== null) return `${makeVisibleLine(child)}: ${reason}`;
    const below = removal(child, stats, ground);
    if (typeof below === "string") return below;
    records.push(...below);
  }
  return [...records, ["remove", path, "directory"]];
}

/** What must be there when the record is performed, so that nothing is lost between this look and the write. */
function expectedOf(path: string, current: Stats, lower: DirectoryFd): string {
  if (current.isDirectory()) return "directory";
  if (current.isSymbolicLink()) return `link:${linkTarget(lower, path) ?? ""}`;
  return current.isFile() ? (digestOfFile(lower, path) ?? "absent") : "any";
}

/** The SHA-256 of a regular file in hexadecimal; null when there is none. */
export function digestOfFile(root: DirectoryFd, path: string): string | null {
  return withFile(root, path, (fd, { size }) => {
    const hash = createHash("sha256");
    const buffer = new Uint8Array(Math.min(256 * 1024, size + 1));
    for (let length = fill(fd, buffer); length > 0; length = fill(fd, buffer)) hash.update(buffer.subarray(0, length));
    return hash.digest("hex");
  });
}

function typeOf(stats: Stats): Change["type"] {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  return stats.isSymbolicLink() ? "link" : "other";
}
