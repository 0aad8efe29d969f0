import { basename } from "node:path";
import type { LinkedRepository } from "../../runtime.ts";

/**
 * How the paths of a set of changes are called in an ordinary repository. Everything that judges a repository's files knows those names alone: a linked worktree has a
 * HEAD and an index of its own among the files of the repository that it shares (gitrepository-layout(5)).
 */
export type GitNames = {
  /** `repo/.git/worktrees/w/HEAD` → `.git/HEAD`. What belongs to another worktree is named `.git/worktrees/…`. */
  plain(path: string): string;
  /** The path at which a file lies that an ordinary repository would have at this one. */
  placed(path: string): string;
};

/** Of a workspace: repositories in it are ordinary ones. */
export const PLAIN_NAMES: GitNames = { plain: (path) => path, placed: (path) => path };

/** What all worktrees share, but for some refs and their logs. */
const SHARED = /^(?:objects|packed-refs|refs|logs|config|hooks|info|shallow|remotes|branches|worktrees)(?:\/|$)/u;
const OWN_REFS = /^(?:logs\/HEAD$|(?:logs\/)?refs\/(?:bisect|worktree|rewritten)(?:\/|$))/u;

function isShared(file: string): boolean {
  return SHARED.test(file) && !OWN_REFS.test(file);
}

/** Of a repository that is a root of its own: its paths are relative to the directory that it lies in. */
export function namesOf({ path, worktree }: LinkedRepository): GitNames {
  const common = basename(path);
  const own = worktree === null ? common : `${common}/worktrees/${worktree}`;
  const plain = (of: string): string => {
    const ownFile = fileBelow(own, of);
    // Its directories for logs and refs of its own are called as those of all: only what lies in them is told apart.
    if (ownFile !== null && (worktree === null || !isShared(ownFile) || ownFile === "logs" || ownFile === "refs")) return `.git/${ownFile}`;
    const file = fileBelow(common, of);
    if (file === null) return ".git";
    return isShared(file) ? `.git/${file}` : `.git/worktrees/${file}`;
  };
  const placed = (of: string): string => {
    const file = fileBelow(".git", of);
    if (file === null) return common;
    return `${isShared(file) ? common : own}/${file}`;
  };
  return { plain, placed };
}

/** A path below a directory, relative to it; null where it is not below. */
function fileBelow(directory: string, path: string): string | null {
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : null;
}
