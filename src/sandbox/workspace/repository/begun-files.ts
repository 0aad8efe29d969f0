import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { directoryNames } from "../files/directory-names.ts";
import { sha256 } from "../../../base/digest.ts";
import type { LinkedRepository } from "../../runtime.ts";
import type { Manifest } from "../scan/manifest.ts";
import { type Beginnings, directoryNamed, OWN_REPOSITORY } from "./beginnings.ts";
import { type CheckingGit, checkingGit } from "./git.ts";

// What a file held when the run began is kept nowhere. Where git had looked at it before, its index says which object it was, and by which times git knew
// that. A copy of the index costs a start nothing, and together with the manifest it says which of the files were just so.

/** Longer ones are not copied: then it is not known what their files were. */
const MAX_INDEX_BYTES = 256 * 1024 ** 2;
/** Of so many files that somebody changed, what they were is looked up. */
const MAX_FILES = 200;

type Place = { readonly workspace: string; readonly linked: LinkedRepository | undefined };

/** Copies the index of each repository into a directory of ours; its name has the time when it was written. */
export function keepIndexes(directory: string, place: Place, repositories: Iterable<string>): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const repository of repositories) {
    const copy = indexOf(join(directoryNamed(place, repository), "index"));
    if (copy !== null) writeFileSync(join(directory, `${nameOf(repository)}.${String(copy.mtimeNs)}`), copy.bytes, { mode: 0o600 });
  }
}

function nameOf(repository: string): string {
  return sha256(repository).slice(0, 32);
}

function indexOf(path: string): { readonly bytes: Buffer; readonly mtimeNs: bigint } | null {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    // There is none before something is added; what cannot be read is not known.
    if (["ENOENT", "EACCES", "ENOTDIR", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
  try {
    const stats = fstatSync(fd, { bigint: true });
    return stats.isFile() && stats.size <= MAX_INDEX_BYTES ? { bytes: readFileSync(fd), mtimeNs: stats.mtimeNs } : null;
  } finally {
    closeSync(fd);
  }
}

export type Begun = Place & {
  readonly beginnings: Beginnings;
  readonly manifest: Manifest;
  /** See {@link keepIndexes}. */ readonly indexes: string;
  /** Larger files are not shown. */ readonly maxBytes: number;
};

/**
 * What files of the workspace held when the run began: null where there was none. Paths of which that is not known are left out: git had not looked at
 * them since they were written, they were not the repository's, or were written in another way than git stores them.
 */
export async function begunContents(begun: Begun, paths: readonly string[]): Promise<ReadonlyMap<string, Buffer | null>> {
  const found = new Map<string, Buffer | null>();
  const wanted = new Map<string, string[]>();
  for (const path of paths.slice(0, MAX_FILES)) {
    if (!begun.manifest.has(path)) {
      found.set(path, null);
      continue;
    }
    const repository = repositoryAbove(path, begun.beginnings);
    if (repository !== null) wanted.set(repository, [...(wanted.get(repository) ?? []), path]);
  }
  for (const [repository, files] of wanted) {
    const git = checkingGit(directoryNamed(begun, repository));
    for (const [path, id] of await idsOf(begun, git, { repository, files })) {
      const size = await git(["cat-file", "-s", id]);
      if (!size.isDone || Number(size.stdout) !== sizeIn(begun.manifest.get(path) ?? "") || Number(size.stdout) > begun.maxBytes) continue;
      const read = await git(["cat-file", "blob", id], { encoding: "latin1" });
      if (read.isDone) found.set(path, Buffer.from(read.stdout, "latin1"));
    }
  }
  return found;
}

/** The innermost repository that a path lies in. */
function repositoryAbove(path: string, beginnings: Beginnings): string | null {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
    if (beginnings.has(`${path.slice(0, end)}/.git`)) return `${path.slice(0, end)}/.git`;
  return beginnings.has(OWN_REPOSITORY) ? OWN_REPOSITORY : null;
}

/** As `git ls-files --stage --debug -z` tells of each file what it was when git took its content for that of an object. Of number and size it keeps 32 bits. */
const SEEN =
  /(?:^|\n)\d+ (?<id>[0-9a-f]+) 0\t(?<path>[^\0]+)\0 {2}ctime: (?<ctime>\d+:\d+)\n {2}mtime: (?<mtime>\d+:\d+)\n {2}dev: \d+\tino: (?<ino>\d+)\n {2}uid: \d+\tgid: \d+\n {2}size: (?<size>\d+)/gu;

async function idsOf(
  { indexes, manifest }: Begun,
  git: CheckingGit,
  { repository, files }: { repository: string; files: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  const kept = directoryNames(indexes).find((name) => name.startsWith(`${nameOf(repository)}.`));
  if (kept === undefined) return ids;
  const writtenNs = BigInt(kept.slice(kept.indexOf(".") + 1));
  const top = repository.slice(0, -".git".length);
  const wanted = new Map(files.map((path) => [Buffer.from(path.slice(top.length)).toString("latin1"), path]));
  const told = await git(
    ["--work-tree=.", "--literal-pathspecs", "ls-files", "--stage", "--debug", "-z", "--", ...files.map((path) => path.slice(top.length))],
    { index: join(indexes, kept), encoding: "latin1" },
  );
  for (const { groups = {} } of told.isDone ? told.stdout.matchAll(SEEN) : []) {
    const path = wanted.get(groups["path"] ?? "");
    if (path !== undefined && isClean(groups, manifest.get(path) ?? "", writtenNs)) ids.set(path, groups["id"] ?? "");
  }
  return ids;
}

/** As git itself believes it: number, size and times are those of the index, and the file was written before the index was (gitformat-index(5), racy-git). */
function isClean({ ino = "", size = "", mtime = "", ctime = "" }: Partial<Record<string, string>>, signature: string, writtenNs: bigint): boolean {
  const [type, number = "", length, modified, changed] = signature.split(" ");
  const nanoseconds = (time: string): readonly [seconds: number, rest: number] => {
    const [seconds = "", rest = ""] = time.split(":");
    return [Number(seconds), Number(rest)];
  };
  const milliseconds = (time: string): number => nanoseconds(time)[0] * 1000 + nanoseconds(time)[1] / 1_000_000;
  const [seconds, rest] = nanoseconds(mtime);
  if (type !== "f" || BigInt(seconds) * 1_000_000_000n + BigInt(rest) >= writtenNs) return false;
  return (
    BigInt.asUintN(32, BigInt(number)) === BigInt(ino) &&
    Number(length) === Number(size) &&
    Number(modified) === milliseconds(mtime) &&
    Number(changed) === milliseconds(ctime)
  );
}

function sizeIn(signature: string): number {
  return Number(signature.split(" ")[2]);
}
