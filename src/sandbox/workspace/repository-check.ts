import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statfsSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeVisibleLine } from "../../base/text.ts";
import type { Change } from "../runtime.ts";
import { CHECK_LIMITS, type CheckingGit, checkingGit } from "./checking-git.ts";
import { fill, readBytes, withFile } from "./content.ts";
import type { Layers } from "./flags.ts";
import { readIndex } from "./index-file.ts";
import { headCommit, neededObjects, type NeededObject } from "./ref-files.ts";
import { repositorySecrets } from "./repository-secrets.ts";
import type { SecretScan } from "./secret-scan.ts";
import { type DirectoryFd, statEntry } from "./tree.ts";

export type RepositoryCheck = {
  readonly workspace: string;
  readonly layers: Layers;
  /** A directory of ours for what is looked at; it is made and removed. */
  readonly scratch: string;
  readonly secrets: SecretScan;
  /** What the run made in repositories of submodules: a commit that names one of these names nothing on the host. */
  readonly madeInSubmodules: ReadonlySet<string>;
  /** Somebody named the repository, whatever its commits hold. */
  readonly allowsSecrets: boolean;
};

const MAX_TEXT_BYTES = 64 * 1024 * 1024;

/** What a run adds at once, also when it packs the whole of a large repository anew. Each has an id in our memory. */
const MAX_OBJECTS = 2_000_000;

type Subject = RepositoryCheck & {
  readonly repository: string;
  readonly git: CheckingGit;
  /** Which hash names objects. */ readonly format: "sha1" | "sha256";
};

/**
 * Why what a run did to a repository must not land, or null. In a repository of our own that borrows the workspace's objects, git indexes
 * and checks every new object (its hash, its form, that what it links to is there: `index-pack --strict`); then each object that a ref or
 * the index names must be there. Nothing of the run's or the workspace's configuration is read but the kind of hash.
 */
export async function checkRepository(repository: string, changes: readonly Change[], check: RepositoryCheck): Promise<string | null> {
  const there = changes.filter((change) => change.kind !== "deleted" && change.type === "file").map((change) => change.path.slice(repository.length + 1));
  if (there.length === 0) return null;
  rmSync(check.scratch, { recursive: true, force: true });
  mkdirSync(check.scratch, { mode: 0o700 });
  try {
    const config = textOf(check.layers.lower, `${repository}/config`) ?? "";
    const format = /^\s*objectformat\s*=\s*sha256\s*$/imu.test(config) ? "sha256" : "sha1";
    const freeBytes = freeBytesIn(check.scratch);
    const git = checkingGit(check.scratch, { ...CHECK_LIMITS, fileBytes: Math.min(CHECK_LIMITS.fileBytes, Math.floor(freeBytes / 2)) });
    const subject: Subject = { ...check, repository, format, git };
    return roomReason(subject, there, freeBytes) ?? (await judge(subject, there));
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT") return NO_ROOM;
    if (code !== "ENOENT" || syscall !== "spawn prlimit") throw error;
    return "There is no prlimit on this machine to check commits within limits: install util-linux.";
  } finally {
    rmSync(check.scratch, { recursive: true, force: true });
  }
}

const NO_ROOM = "There is too little space left beside the run's changes to check its commits: free some.";

function freeBytesIn(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/** Copies of the objects and a pack of all of them must fit twice: when the disk is full, no ruling can be recorded. A sparse file counts as it reads. */
function roomReason({ layers, repository }: Subject, paths: readonly string[], freeBytes: number): string | null {
  const bytes = paths.reduce((sum, path) => sum + (path.startsWith("objects/") ? (statEntry(layers.upper, `${repository}/${path}`)?.size ?? 0) : 0), 0);
  return 4 * bytes <= freeBytes ? null : NO_ROOM;
}

async function judge(subject: Subject, paths: readonly string[]): Promise<string | null> {
  const needed = needsOf(subject, paths);
  if (typeof needed === "string") return needed;
  const made = await subject.git(["init", "--quiet", "--bare", "--template=", `--object-format=${subject.format}`]);
  if (!made.isDone) return `git cannot check the commits: ${made.complaint}`;
  borrow(subject);
  const ids = await takeObjects(subject, paths);
  if (typeof ids === "string") return ids;
  if (ids.length > 0) {
    const fault = await checkObjects(subject, ids);
    if (fault !== null) return fault;
    const before = headCommit((path) => textOf(subject.layers.lower, `${subject.repository}/${path}`));
    const names = subject.allowsSecrets ? [] : await repositorySecrets(ids, before, subject);
    if (typeof names === "string") return names;
    if (names.length > 0) return `A commit holds ${names.join(", ")}: it lands only when ${makeVisibleLine(subject.repository)} is named.`;
  }
  return (await missingObject(subject, needed)) ?? (await lostSubmodule(subject, needed));
}

/** Through a link of ours, as a path may have characters that the list of alternates gives a meaning. */
function borrow({ scratch, workspace, repository }: Subject): void {
  symlinkSync(`${workspace}/${repository}/objects`, join(scratch, "borrowed"));
  writeFileSync(join(scratch, "objects/info/alternates"), `${join(scratch, "borrowed")}\n`);
}

function needsOf(subject: Subject, paths: readonly string[]): readonly NeededObject[] | string {
  const needed: NeededObject[] = [];
  for (const path of paths) {
    if (path.startsWith("objects/")) continue;
    const text = path === "index" ? "" : textOf(subject.layers.upper, `${subject.repository}/${path}`);
    if (text === null) return `${makeVisibleLine(path)} is not there any more, or is larger than what git writes there.`;
    const found = path === "index" ? indexNeeds(subject) : neededObjects(path, text);
    if (typeof found === "string") return `${makeVisibleLine(path)}: ${found}`;
    for (const object of found) needed.push(object);
  }
  return needed;
}

function indexNeeds({ layers, repository, format, madeInSubmodules }: Subject): readonly NeededObject[] | string {
  const [before, after] = [layers.lower, layers.upper].map((root) => {
    const bytes = readBytes(root, `${repository}/index`, MAX_TEXT_BYTES);
    return bytes === null ? "It is not there any more." : readIndex(Buffer.from(bytes), format === "sha1" ? 20 : 32);
  });
  if (after === undefined || typeof after === "string") return after ?? "It is not there any more.";
  const hidden = new Set(before === undefined || typeof before === "string" ? [] : before.entries.filter((entry) => entry.isHiding).map((entry) => entry.path));
  const hiding = after.entries.find((entry) => entry.isHiding && !hidden.has(entry.path));
  const lost = after.links.find((id) => madeInSubmodules.has(id));
  if (lost !== undefined) return lostReason(lost);
  return hiding === undefined ? after.needed : `The index hides changes of ${makeVisibleLine(hiding.path)} from git.`;
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
  const { git, scratch, layers, repository } = subject;
  if (!take(subject, `${pack}.pack`)) return "The pack is not there.";
  const hasReverse = statEntry(layers.upper, `${repository}/${pack}.rev`) !== null;
  const indexed = await git(["index-pack", hasReverse ? "--rev-index" : "--no-rev-index", join(scratch, `${pack}.pack`)]);
  if (!indexed.isDone) return `git refuses the pack: ${makeVisibleLine(indexed.complaint)}`;
  // Git believes what finds objects in a pack: it lands only as git makes it anew.
  for (const kind of hasReverse ? ["idx", "rev"] : ["idx"]) {
    const made = readFileSync(join(scratch, `${pack}.${kind}`));
    const theirs = readBytes(layers.upper, `${repository}/${pack}.${kind}`, made.length + 1);
    if (theirs === null || !made.equals(theirs)) return `The pack's .${kind} is not what git makes of it.`;
  }
  const index = readFileSync(join(scratch, `${pack}.idx`));
  if (countIn(index) > MAX_OBJECTS) return `It holds more than ${String(MAX_OBJECTS)} objects.`;
  const listed = await git(["show-index", `--object-format=${subject.format}`], { input: index });
  return listed.isDone ? idsIn(listed.stdout) : `git cannot read the pack: ${makeVisibleLine(listed.complaint)}`;
}

/** Every new object goes into one pack, which git then reads as if a stranger had sent it. */
async function checkObjects({ git, scratch, format }: Subject, ids: readonly string[]): Promise<string | null> {
  const packed = await git(["pack-objects", "--quiet", "--window=0", join(scratch, "all")], { input: `${ids.join("\n")}\n` });
  if (!packed.isDone) return `git refuses an object: ${makeVisibleLine(packed.complaint)}`;
  const pack = join(scratch, `all-${packed.stdout.trim()}.pack`);
  const index = join(scratch, "checked.idx");
  const checked = await git(["index-pack", "--strict", "-o", index, pack]);
  if (!checked.isDone) return `git refuses an object: ${makeVisibleLine(checked.complaint)}`;
  const listed = await git(["show-index", `--object-format=${format}`], { input: readFileSync(index) });
  const found = new Set(idsIn(listed.stdout));
  return listed.isDone && found.size === ids.length && ids.every((id) => found.has(id)) ? null : "An object is not what its name says.";
}

async function missingObject({ git }: Subject, needed: readonly NeededObject[]): Promise<string | null> {
  if (needed.length === 0) return null;
  const input = needed.map(({ id }) => `${id}\n`).join("");
  const answer = await git(["cat-file", "--batch-check=%(objectname) %(objecttype)"], { input });
  if (!answer.isDone) return `git cannot check the commits: ${makeVisibleLine(answer.complaint)}`;
  const lines = answer.stdout.split("\n");
  for (const [at, { id, type }] of needed.entries()) {
    const found = /^([0-9a-f]+) (commit|blob|tree|tag)$/u.exec(lines[at] ?? "");
    if (found?.[1] !== id) return `The object ${id} is not there.`;
    if (type !== null && found[2] !== type) return `The object ${id} is no ${type}.`;
  }
  return null;
}

/** Looked at in the trees of what refs name: what lies between is the same history. */
async function lostSubmodule({ git, madeInSubmodules }: Subject, needed: readonly NeededObject[]): Promise<string | null> {
  if (madeInSubmodules.size === 0) return null;
  for (const [id, type] of new Map(needed.map((object) => [object.id, object.type]))) {
    if (type === "blob") continue;
    const listed = await git(["ls-tree", "-r", "--full-tree", id]);
    // Of what need be no commit, a file has no trees.
    if (!listed.isDone && type === "commit") return `git cannot check the commits: ${makeVisibleLine(listed.complaint)}`;
    const links = listed.stdout.split("\n").flatMap((line) => /^160000 commit ([0-9a-f]+)\t/u.exec(line)?.[1] ?? []);
    const lost = links.find((link) => madeInSubmodules.has(link));
    if (lost !== undefined) return lostReason(lost);
  }
  return null;
}

function lostReason(id: string): string {
  return `It names the commit ${id}, which the run made in a submodule, and which does not land: commit in the submodule on the host, then here.`;
}

/** gitformat-pack(5), version 2: the last of the 256 numbers after the header of 8 bytes counts all objects. */
function countIn(packIndex: Buffer): number {
  return packIndex.readUInt32BE(8 + 255 * 4);
}

function idsIn(listing: string): readonly string[] {
  return listing
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter((id) => id !== "");
}

/** Copies a regular file of the run into the same place of our repository; whether it was there. */
function take({ layers, repository, scratch }: Subject, path: string): boolean {
  const copied = withFile(layers.upper, `${repository}/${path}`, (from) => {
    const target = join(scratch, path);
    mkdirSync(dirname(target), { recursive: true });
    const to = openSync(target, "wx", 0o400);
    try {
      const buffer = new Uint8Array(1024 * 1024);
      for (let length = fill(from, buffer); length > 0; length = fill(from, buffer)) writeFileSync(to, buffer.subarray(0, length));
    } finally {
      closeSync(to);
    }
    return true;
  });
  return copied === true;
}

/** The whole of a text file; null when there is none, or it is larger than any that git writes: a part would be judged for the whole. */
function textOf(root: DirectoryFd, path: string): string | null {
  const bytes = readBytes(root, path, MAX_TEXT_BYTES + 1);
  return bytes === null || bytes.byteLength > MAX_TEXT_BYTES ? null : Buffer.from(bytes).toString();
}
