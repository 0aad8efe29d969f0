import { mkdirSync, readFileSync, rmSync, statfsSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { nameOfSetting, readGitSettings } from "../../shell/effects/languages/git-settings.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { CHECK_LIMITS, type CheckingGit, checkingGit } from "../../sandbox/workspace/repository/git.ts";
import { copyOut } from "../../sandbox/workspace/files/content.ts";
import { isWithin } from "../../sandbox/workspace/scan/roots.ts";
import { filesOf, type Placed, placeOf, textOf } from "../../sandbox/workspace/repository/placed.ts";
import { statEntry } from "../../sandbox/workspace/files/tree.ts";

/** A repository of the workspace that a run changed. */
export type ChangedRepository = Placed & {
  /** A directory of ours for what is looked at; it is made and removed. */
  readonly scratch: string;
};

/** Where its files are checked out, relative to the workspace: nothing, or with a slash at the end. */
export function topOf(of: Placed): string {
  const { workspace, repository } = of;
  if (/(?:^|\/)\.git$/u.test(repository)) return repository.slice(0, -".git".length);
  const settings = readGitSettings(configOf(of)) ?? [];
  const named = settings.findLast((setting) => nameOfSetting(setting) === "core.worktree")?.value ?? "";
  const top = resolve(workspace, repository, named);
  return isWithin(top, workspace) && top !== workspace ? `${top.slice(workspace.length + 1)}/` : `${repository}/`;
}

/** The same, with git in a repository of our own that has its objects and no configuration. */
export type Subject = ChangedRepository & {
  readonly git: CheckingGit;
  /** Which hash names objects. */ readonly format: ObjectFormat;
};

export type ObjectFormat = "sha1" | "sha256";

/** What a run adds at once, also when it packs the whole of a large repository anew. Each has an id in our memory. */
const MAX_OBJECTS = 2_000_000;

const NO_ROOM = "There is too little space left beside the run's changes to check its commits: free some.";

/** Of the workspace's configuration nothing else is read than this, and how refs are stored. */
export function formatOf(changed: Placed): ObjectFormat {
  return /^\s*objectformat\s*=\s*sha256\s*$/imu.test(configOf(changed)) ? "sha256" : "sha1";
}

/** Whether its refs lie in tables, which git knows since 2.45. */
export function storesTables(changed: Placed): boolean {
  return /^\s*refstorage\s*=\s*reftable\s*$/imu.test(configOf(changed));
}

function configOf(changed: Placed): string {
  return textOf(filesOf(changed).lower, placeOf(changed, "config")) ?? "";
}

/**
 * Calls `use` with git in a repository of our own that borrows the workspace's objects and has copies of what the run added, of which
 * it is told the ids; or says why there is none. `paths` are those of the repository's changed files, relative to it.
 */
export async function inCheckingRepository<T>(
  changed: ChangedRepository,
  paths: readonly string[],
  use: (subject: Subject, ids: readonly string[]) => Promise<T>,
): Promise<T | string> {
  try {
    rmSync(changed.scratch, { recursive: true, force: true });
    mkdirSync(changed.scratch, { mode: 0o700 });
    const freeBytes = freeBytesIn(changed.scratch);
    const git = checkingGit(changed.scratch, { ...CHECK_LIMITS, fileBytes: Math.min(CHECK_LIMITS.fileBytes, Math.floor(freeBytes / 2)) });
    const subject: Subject = { ...changed, format: formatOf(changed), git };
    const noRoom = roomReason(subject, paths, freeBytes);
    if (noRoom !== null) return noRoom;
    const made = await git([
      "init",
      "--quiet",
      "--bare",
      "--template=",
      `--object-format=${subject.format}`,
      ...(storesTables(changed) ? ["--ref-format=reftable"] : []),
    ]);
    if (!made.isDone) return `git cannot check the commits: ${made.complaint}`;
    borrow(subject);
    const ids = await takeObjects(subject, paths);
    return typeof ids === "string" ? ids : await use(subject, ids);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT") return NO_ROOM;
    if (code !== "ENOENT" || syscall !== "spawn prlimit") throw error;
    return "There is no prlimit on this machine to check commits within limits: install util-linux.";
  } finally {
    rmSync(changed.scratch, { recursive: true, force: true });
  }
}

function freeBytesIn(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/** Copies of the objects and a pack of all of them must fit twice: when the disk is full, no ruling can be recorded. A sparse file counts as it reads. */
function roomReason(subject: Subject, paths: readonly string[], freeBytes: number): string | null {
  const bytes = paths.reduce(
    (sum, path) => sum + (path.startsWith("objects/") ? (statEntry(filesOf(subject).upper, placeOf(subject, path))?.size ?? 0) : 0),
    0,
  );
  return 4 * bytes <= freeBytes ? null : NO_ROOM;
}

/** Through a link of ours, as a path may have characters that the list of alternates gives a meaning. */
function borrow(subject: Subject): void {
  const { scratch, workspace, outside } = subject;
  symlinkSync(`${outside?.base ?? workspace}/${placeOf(subject, "objects")}`, join(scratch, "borrowed"));
  writeFileSync(join(scratch, "objects/info/alternates"), `${join(scratch, "borrowed")}\n`);
}

/** Copies the new objects beside the borrowed ones and indexes the packs; the ids of all of them, or what is wrong. */
async function takeObjects(subject: Subject, paths: readonly string[]): Promise<readonly string[] | string> {
  const ids: string[] = [];
  const packs = new Set<string>();
  for (const path of paths) {
    const loose = /^objects\/([0-9a-f]{2})\/([0-9a-f]+)$/.exec(path);
    const pack = /^(objects\/pack\/pack-[0-9a-f]+)\.[a-z]+$/.exec(path)?.[1];
    if (pack !== undefined) packs.add(pack);
    if (loose === null) continue;
    take(subject, path);
    ids.push(`${loose[1] ?? ""}${loose[2] ?? ""}`);
  }
  for (const pack of packs) {
    const found = await takePack(subject, pack);
    if (typeof found === "string") return `${makeVisibleLine(pack)}: ${found}`;
    for (const id of found) ids.push(id);
  }
  const unique = [...new Set(ids)];
  return unique.length > MAX_OBJECTS ? `The run adds more than ${String(MAX_OBJECTS)} objects.` : unique;
}

async function takePack(subject: Subject, pack: string): Promise<readonly string[] | string> {
  const { git, scratch } = subject;
  if (!take(subject, `${pack}.pack`)) return "The pack is not there.";
  // The run's own index of the pack is not believed: git makes one anew.
  const indexed = await git(["index-pack", join(scratch, `${pack}.pack`)]);
  if (!indexed.isDone) return `git refuses the pack: ${makeVisibleLine(indexed.complaint)}`;
  const index = readFileSync(join(scratch, `${pack}.idx`));
  if (countIn(index) > MAX_OBJECTS) return `It holds more than ${String(MAX_OBJECTS)} objects.`;
  const listed = await git(["show-index", `--object-format=${subject.format}`], { input: index });
  return listed.isDone ? idsIn(listed.stdout) : `git cannot read the pack: ${makeVisibleLine(listed.complaint)}`;
}

/** gitformat-pack(5), version 2: the last of the 256 numbers after the header of 8 bytes counts all objects. */
function countIn(packIndex: Buffer): number {
  return packIndex.readUInt32BE(8 + 255 * 4);
}

export function idsIn(listing: string): readonly string[] {
  return listing
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter((id) => id !== "");
}

/** Copies a regular file of the run, or of the workspace, into the same place of our repository; whether it was there. */
export function take(subject: Subject, path: string, layer: "upper" | "lower" = "upper"): boolean {
  return copyOut(filesOf(subject)[layer], placeOf(subject, path), join(subject.scratch, path));
}
