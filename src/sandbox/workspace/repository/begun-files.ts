import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../../base/digest.ts";
import type { LinkedRepository } from "../../runtime.ts";
import type { Manifest } from "../scan/manifest.ts";
import { type Beginnings, directoryNamed, OWN_REPOSITORY } from "./beginnings.ts";
import { checkingGit } from "./git.ts";
import { readIndex, type SeenFile, seenFile } from "./index-file.ts";

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
    for (const [path, id] of idsOf(begun, repository, files)) {
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

function idsOf({ indexes, beginnings, manifest }: Begun, repository: string, files: readonly string[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const kept = namesIn(indexes).find((name) => name.startsWith(`${nameOf(repository)}.`));
  const state = beginnings.get(repository);
  if (kept === undefined || state === undefined || typeof state === "string") return ids;
  const bytes = readFileSync(join(indexes, kept));
  const writtenNs = BigInt(kept.slice(kept.indexOf(".") + 1));
  const idBytes = state.tree.length === 40 ? 20 : 32;
  const index = readIndex(bytes, idBytes);
  if (typeof index === "string") return ids;
  const top = repository.slice(0, -".git".length);
  const wanted = new Map(files.map((path) => [Buffer.from(path.slice(top.length)).toString("latin1"), path]));
  for (const entry of index.entries) {
    const path = wanted.get(entry.path);
    if (path === undefined) continue;
    const seen = seenFile(bytes, entry, idBytes);
    if (isClean(seen, manifest.get(path) ?? "", writtenNs)) ids.set(path, seen.id);
  }
  return ids;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** As git itself believes it: number, size and times are those of the index, and the file was written before the index was (gitformat-index(5), racy-git). */
function isClean({ ino, size, mtime, ctime }: SeenFile, signature: string, writtenNs: bigint): boolean {
  const [type, number = "", ...rest] = signature.split(" ");
  if (type !== "f" || BigInt(mtime.s) * 1_000_000_000n + BigInt(mtime.ns) >= writtenNs) return false;
  const [length = "", modified = "", changed = ""] = rest;
  const milliseconds = ({ s, ns }: SeenFile["mtime"]): number => s * 1000 + ns / 1_000_000;
  return (
    BigInt.asUintN(32, BigInt(number)) === BigInt(ino) &&
    Number(length) === size &&
    Number(modified) === milliseconds(mtime) &&
    Number(changed) === milliseconds(ctime)
  );
}

function sizeIn(signature: string): number {
  return Number(signature.split(" ")[2]);
}
