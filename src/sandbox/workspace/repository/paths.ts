import type { Change } from "../../runtime.ts";
import { type GitNames, PLAIN_NAMES } from "./names.ts";

// What a repository needs to hold the commits of a run, and what git writes beside it. Git reads these in the run's repository, and writes its own in the
// person's. Everything else in `.git` steers programs of the host (hooks, config, alternates, worktrees, filters in info/attributes) or is none of a
// sandbox's business.
const DATA = new Set(["objects", "refs", "reftable", "packed-refs", "index", "HEAD", "logs", "COMMIT_EDITMSG", "ORIG_HEAD"]);
const SHARED_INDEX = /^sharedindex\.[0-9a-f]+$/;
const DIRECTORIES = new Set(["objects", "refs", "reftable", "logs"]);

/** The repository of a submodule in that of its superproject, before a file of it that may land, or the same again; no other worktree of one. */
const MODULE =
  /^modules\/(?:(?!worktrees\/)[^/]+\/)+?(?=(?:objects|refs|reftable|packed-refs|index|sharedindex\.[0-9a-f]+|HEAD|logs|COMMIT_EDITMSG|ORIG_HEAD|modules)(?:\/|$))/s;

/** Loose objects by their id, and packs with what finds objects in them; ids are SHA-1 or SHA-256. */
const OBJECT = /^(?:[0-9a-f]{2}(?:\/(?:[0-9a-f]{38}|[0-9a-f]{62}))?|pack(?:\/pack-(?:[0-9a-f]{40}|[0-9a-f]{64})\.(?:pack|idx|rev))?|info)$/;

/** git-check-ref-format(1), each name; nothing more is asked of a name that git made. */
const REF_NAME = /^(?!\.)(?!.*(?:\.\.|@\{|\.lock$|\.$))[^\u0000-\u0020~^:?*[\\\u007f]+$/u;

// What git itself refuses in a tree for the same reason (path.c, is_ntfs_dotgit; utf8.c, is_hfs_dotgit), whatever the machine: other letters, its short
// name, dots and blanks behind it, a stream, a backslash as separator (NTFS, and shares that stand for one); characters without width (HFS+).
const TAKEN_FOR_GIT = /(?:^|\\)(?:\.git|git~1)[. ]*(?:$|[:\\])/iu;
const WITHOUT_WIDTH = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;

/** No path without these has a name that is taken for `.git`. */
const MAY_BE_TAKEN = /git|[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/iu;

/** Whether some file system takes a name for `.git`. */
export function isRepositoryName(name: string): boolean {
  return TAKEN_FOR_GIT.test(name.replaceAll(WITHOUT_WIDTH, ""));
}

/** Why a change of a repository's own files is never applied, or null. Repositories within repositories are judged alike. */
export function repositoryReason(change: Pick<Change, "path" | "type"> & Partial<Pick<Change, "kind">>): string | null {
  if (!MAY_BE_TAKEN.test(change.path)) return null;
  const names = change.path.split("/");
  const at = names.findLastIndex(isRepositoryName);
  if (at === -1) return null;
  if (names.slice(0, at).some(isRepositoryName)) return "A repository inside a repository's own files is not applied.";
  if (names[at] !== ".git") return "Some file systems take it for a repository's own files.";
  const [first, ...rest] = placeIn(change.path)?.file.split("/") ?? [];
  if (first === undefined) return "A repository is not created, removed or replaced by applying changes.";
  if (first === "worktrees") return "It belongs to another worktree of the repository, and is not applied.";
  if (first === "modules") return "What steers git in a submodule is not applied.";
  if (!DATA.has(first) && !SHARED_INDEX.test(first)) return `.git/${first} steers git on the host and is not applied.`;
  if (change.type === "link" || change.type === "other") return "Links and special files in a repository are not applied.";
  if (rest.length === 0 && (change.type === "directory") !== DIRECTORIES.has(first)) return `.git/${first} has the wrong type.`;
  if (rest.length > 0 && !DIRECTORIES.has(first)) return `.git/${first} has the wrong type.`;
  if (names.at(-1)?.endsWith(".lock") === true) return "A lock of a git command is not applied.";
  if (change.kind === "deleted" && rest.length === 0 && !/^(?:COMMIT_EDITMSG|ORIG_HEAD|logs|sharedindex\..*)$/.test(first))
    return `A repository needs its ${first}.`;
  if (first === "objects") return objectReason(rest.join("/"), change);
  if (first === "refs" && rest[0] === "replace") return "Replaced objects are not applied.";
  return rest.every((name) => REF_NAME.test(name)) ? null : "It is no name of a ref.";
}

function objectReason(rest: string, { kind, type }: Pick<Change, "path" | "type"> & Partial<Pick<Change, "kind">>): string | null {
  if (rest === "") return null;
  if (kind === "deleted") return "Objects are only added: `git gc` removes what no ref needs any more.";
  if (/^info\/(?:http-)?alternates$/.test(rest)) return "Where a repository borrows objects from is not applied.";
  if ((kind === "modified" || kind === "mode") && type !== "directory") return "The workspace has an object of this name already, and keeps it.";
  // commit-graph, multi-pack-index, bitmaps: they say again what objects say, and git believes them.
  if (!OBJECT.test(rest)) return "It is no object of git; git makes what it needs besides anew.";
  return (type === "directory") === /^(?:[0-9a-f]{2}|pack|info)$/.test(rest) ? null : "It has the wrong type.";
}

type Place = { /** Its own directory. */ readonly repository: string; /** The path in it. */ readonly file: string };

function placeIn(path: string): Place | null {
  const start = path.lastIndexOf("/.git/") + 1;
  if (start === 0 && !path.startsWith(".git/")) return null;
  let end = start + ".git".length;
  for (let found = MODULE.exec(path.slice(end + 1)); found !== null; found = MODULE.exec(path.slice(end + 1))) end += found[0].length;
  return { repository: path.slice(0, end), file: path.slice(end + 1) };
}

/** The innermost `.git` that a path lies in, or the repository of a submodule in that; null where there is none. */
export function repositoryOf(path: string): string | null {
  return placeIn(path)?.repository ?? null;
}

/** Whether a path is the HEAD of a repository. */
export function isHeadOfRepository(path: string): boolean {
  return placeIn(path)?.file === "HEAD";
}

/** Changes by the repository that they belong to. What steers git is left out: it is refused by itself, and nothing that a commit needs. */
export function unitsOf<Item extends Change>(changes: readonly Item[], names: GitNames = PLAIN_NAMES): ReadonlyMap<string, readonly Item[]> {
  const units = Map.groupBy(changes, (change) => {
    const path = names.plain(change.path);
    return repositoryReason({ ...change, path }) === null ? repositoryOf(path) : null;
  });
  return new Map([...units].flatMap(([repository, unit]) => (repository === null ? [] : [[repository, unit]])));
}

/** The object that a change adds to a submodule's own repository, which lies in the repository that names its commits; or null. */
export function objectOfSubmodule({ path, kind }: Pick<Change, "path" | "kind">): string | null {
  const [, start, rest] = /\.git\/modules\/.+\/objects\/([0-9a-f]{2})\/([0-9a-f]{38}|[0-9a-f]{62})$/su.exec(path) ?? [];
  return kind !== "added" || start === undefined || rest === undefined ? null : start + rest;
}

/** What only remembers, and what git makes anew: it never lands itself, and holds nothing back. */
export function isDispensable(path: string): boolean {
  const rest = path.slice((repositoryOf(path) ?? "").length + 1);
  return /^(?:index$|sharedindex\.|logs(?:\/|$)|COMMIT_EDITMSG$|ORIG_HEAD$)/.test(rest);
}
