import type { Change } from "../runtime.ts";

// What a repository needs to hold the commits of a run. Everything else in `.git` steers programs of the host (hooks, config, alternates,
// worktrees, filters in info/attributes) or is none of a sandbox's business.
const DATA = new Set(["objects", "refs", "packed-refs", "index", "HEAD", "logs", "COMMIT_EDITMSG", "ORIG_HEAD"]);
const DIRECTORIES = new Set(["objects", "refs", "logs"]);
const OBJECT_INDEXES = new Set(["packs", "commit-graph", "commit-graphs"]);

/** Why a change of a repository's own files is never applied, or null. Repositories within repositories are judged alike. */
export function repositoryReason(change: Pick<Change, "path" | "type">): string | null {
  const names = change.path.split("/");
  // Some file systems do not tell .GIT from .git.
  const at = names.findLastIndex((name) => name.toLowerCase() === ".git");
  if (at === -1) return null;
  if (names.slice(0, at).some((name) => name.toLowerCase() === ".git")) return "A repository inside a repository's own files is not applied.";
  const [first, ...rest] = names.slice(at + 1);
  if (first === undefined) return "A repository is not created, removed or replaced by applying changes.";
  if (!DATA.has(first)) return `.git/${first} steers git on the host and is not applied.`;
  if (change.type === "link" || change.type === "other") return "Links and special files in a repository are not applied.";
  if (rest.length === 0 && (change.type === "directory") !== DIRECTORIES.has(first)) return `.git/${first} has the wrong type.`;
  if (rest.length > 0 && !DIRECTORIES.has(first)) return `.git/${first} has the wrong type.`;
  if (first === "objects" && rest[0] === "info" && rest[1] !== undefined && !OBJECT_INDEXES.has(rest[1]))
    return "Where a repository borrows objects from is not applied.";
  if (first === "refs" && rest[0] === "replace") return "Replaced objects are not applied.";
  if (names.at(-1)?.endsWith(".lock") === true) return "A lock of a git command is not applied.";
  return null;
}

/** The path of the innermost `.git` that a path lies in, or null. */
export function repositoryOf(path: string): string | null {
  return /^(?:.*\/)?\.git(?=\/)/s.exec(path)?.[0] ?? null;
}

/**
 * Objects land before the refs that name them, the index and HEAD later, and no object goes before what
 * replaces it came (a pack): what stops half way leaves a valid repository.
 */
export function applyRank(change: Pick<Change, "path" | "kind">): number {
  const repository = repositoryOf(change.path);
  if (repository === null) return 0;
  const rest = change.path.slice(repository.length + 1);
  if (/^objects(?:\/|$)/.test(rest)) return change.kind === "deleted" ? 5 : 1;
  if (rest === "HEAD" || rest === "index") return 4;
  return /^refs(?:\/|$)/.test(rest) || rest === "packed-refs" ? 3 : 2;
}
