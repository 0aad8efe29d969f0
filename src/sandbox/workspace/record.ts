import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import type { LeftElsewhere, SandboxUser, WorkspaceMount } from "../mounts.ts";
import type { LinkedRepository } from "../runtime.ts";
import { writeWhole } from "./files/whole-file.ts";

/** What a run directory says of its transactional workspace, so that changes outlive the run that made them. */
export type WorkspaceRecord = {
  readonly version: 1;
  readonly runId: string;
  /** Real path of the workspace, the overlay's lower layer. */
  readonly workspace: string;
  /** The number of that directory on its file system: another one that took its place is not the layer that the changes lie on. Absent: an older Warder's record. */
  readonly inode?: number;
  /** The repository that changes with it, and that directory's number. Absent: it lies in the workspace, or there is none. */
  readonly repository?: LinkedRepository & { readonly inode: number };
  /** The sandbox's user, who owns what lies in the upper layer. */
  readonly user: SandboxUser;
  /** The process that works with it: see owner.ts. */
  readonly owner: string;
  /** The file system that holds the upper layer, or null when that is a plain directory. */
  readonly image: string | null;
  /** The name of the overlay that the last session mounted, which no other mount has: by it what is left of that session is found. Absent: none was. */
  readonly overlay?: string;
  /** Who mounted it, and so in which namespace of attributes its marks are: those of `trusted` where it was root's guardian (absent), of `user` for all others. */
  readonly mounter?: Mounter;
  /** Of an open one: what it writes is not in the upper layer before it was brought back from there. */
  readonly elsewhere?: LeftElsewhere;
  readonly state: "open" | "closed" | "discarded";
};

/** Who mounts a run's overlay for a process that is not root. */
export type Mounter = "engine" | "user-namespace";

const MOUNTERS: Partial<Record<WorkspaceMount, Mounter>> = {
  "overlay-by-engine": "engine",
  "overlay-elsewhere": "engine",
  "overlay-in-user-namespace": "user-namespace",
};

/** Undefined: root's guardian, or there is no overlay. */
export function mounterOf(mount: WorkspaceMount): Mounter | undefined {
  return MOUNTERS[mount];
}

export const MASK_DIRECTORY = "mask-directory";

/** Where the parts lie below a run directory; what a container mounts lies below `stage` instead where there is one. */
export function workspacePaths(
  runDirectory: string,
  stage: string | null = null,
): Readonly<
  Record<
    | "base"
    | "stage"
    | "owner"
    | "record"
    | "manifest"
    | "undo"
    | "layersId"
    | "beginnings"
    | "landed"
    | "indexes"
    | "rebase"
    | "check"
    | "image"
    | "layers"
    | "upper"
    | "work"
    | "mask"
    | "lower"
    | "merged"
    | "maskFile"
    | "maskDirectory"
    | "publicParts"
    | "shownLayer"
    | "roots"
    | "repository"
    | "repositoryLanded"
    | "repositoryLower"
    | "repositoryMerged"
    | "turns"
    | "rewound"
    | "replaced",
    string
  >
> {
  const base = join(runDirectory, "workspace");
  const layers = join(base, "layers");
  const shown = stage ?? base;
  return {
    base,
    stage: shown,
    owner: join(base, "owner"),
    record: join(base, "record.json"),
    manifest: join(base, "manifest.json"),
    undo: join(runDirectory, "undo"),
    layersId: join(base, "layers.id"),
    beginnings: join(base, "repositories.json"),
    landed: join(base, "landed.json"),
    indexes: join(base, "indexes"),
    rebase: join(base, "rebase"),
    check: join(base, "check"),
    image: join(base, "layers.ext4"),
    layers,
    upper: join(layers, "upper"),
    work: join(layers, "work"),
    mask: join(layers, "mask"),
    lower: join(base, "lower"),
    merged: join(shown, "merged"),
    maskFile: join(shown, "mask-file"),
    maskDirectory: join(shown, MASK_DIRECTORY),
    publicParts: join(shown, "public-parts"),
    shownLayer: join(base, "shown"),
    roots: join(shown, "roots"),
    repository: join(layers, "repository"),
    repositoryLanded: join(base, "repository-landed.json"),
    repositoryLower: join(base, "repository-lower"),
    repositoryMerged: join(shown, "repository"),
    turns: join(runDirectory, "turns"),
    rewound: join(runDirectory, "rewound"),
    replaced: join(runDirectory, "replaced"),
  };
}

/** Writes the record whole or not at all. Throws as `writeWhole`. */
export function writeRecord(runDirectory: string, record: WorkspaceRecord): void {
  writeWhole(workspacePaths(runDirectory).record, `${JSON.stringify(record)}\n`);
}

/** The record of a run, or null when it had no transactional workspace. Throws `broken-invariant` for one that cannot be understood. */
export function readRecord(runDirectory: string): WorkspaceRecord | null {
  const { record: file } = workspacePaths(runDirectory);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  const value: unknown = parse(text);
  if (!isRecord(value)) throw new AgentError("broken-invariant", `${file} is not a workspace record.`);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isRecord(value: unknown): value is WorkspaceRecord {
  if (typeof value !== "object" || value === null) return false;
  const record = value as Record<string, unknown>;
  const user = record["user"] as Record<string, unknown> | null | undefined;
  return (
    record["version"] === 1 &&
    typeof record["runId"] === "string" &&
    typeof record["workspace"] === "string" &&
    (record["inode"] === undefined || typeof record["inode"] === "number") &&
    isRepository(record["repository"]) &&
    typeof record["owner"] === "string" &&
    (record["image"] === null || typeof record["image"] === "string") &&
    (record["overlay"] === undefined || typeof record["overlay"] === "string") &&
    (record["mounter"] === undefined || Object.values(MOUNTERS).some((mounter) => mounter === record["mounter"])) &&
    isElsewhere(record["elsewhere"]) &&
    (record["state"] === "open" || record["state"] === "closed" || record["state"] === "discarded") &&
    typeof user === "object" &&
    user !== null &&
    typeof user["uid"] === "number" &&
    typeof user["gid"] === "number"
  );
}

function isRepository(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== "object" || value === null) return false;
  const { path, worktree, inode } = value as Record<string, unknown>;
  return typeof path === "string" && (worktree === null || typeof worktree === "string") && typeof inode === "number";
}

function isElsewhere(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== "object" || value === null) return false;
  const { address, imageId, store } = value as Record<string, unknown>;
  return [address, imageId, store].every((word) => typeof word === "string");
}

/** Where what the run wrote still has to be brought back from, or null. */
export function owedFrom({ state, elsewhere }: WorkspaceRecord): LeftElsewhere | null {
  return state === "open" ? (elsewhere ?? null) : null;
}

/** The record once that is done. */
export function withoutDebt({ elsewhere: _brought, ...record }: WorkspaceRecord): WorkspaceRecord {
  return record;
}

/** The number of a directory on its file system. */
export function inodeOf(directory: string): number {
  return statSync(directory).ino;
}

/** The directory whose place another one took since the changes were made on it, or null. */
export function replacedIn({ inode, workspace, repository }: WorkspaceRecord): string | null {
  if (inode !== undefined && inode !== inodeOf(workspace)) return workspace;
  return repository !== undefined && repository.inode !== statSync(repository.path, { throwIfNoEntry: false })?.ino ? repository.path : null;
}

/** Throws `usage` where another directory took the place of one that the changes lie on. */
export function requireWorkspace(record: WorkspaceRecord): void {
  const replaced = replacedIn(record);
  if (replaced === null) return;
  throw new AgentError(
    "usage",
    `${replaced} is another directory than the one that ${record.runId} began in, on which its changes lie: nothing lands. Put that one back, or discard them.`,
  );
}
