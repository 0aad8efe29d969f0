import { lstatSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { directoryNames } from "../files/directory-names.ts";
import { nameOfSetting, readGitSettings } from "../../../shell/effects/languages/git-settings.ts";
import type { LinkedRepository, SandboxProfile } from "../../runtime.ts";
import { isWithin } from "./roots.ts";

// A workspace's `.git` may be a file that names a directory: of a linked worktree, a submodule, or a repository that lies apart. Whoever wrote the
// file says which directory a run would see and change, so the file alone opens nothing: the directory must be a repository of the same user that names
// this workspace itself (gitrepository-layout(5), git-worktree(1)).

/** What a workspace's `.git` file leads to. */
export type RepositoryBehind = LinkedRepository | { readonly fault: string; readonly remedy?: string };

/** A path and its end of line; git reads no more either. */
const MAX_LINK_BYTES = 8192;
const MAX_CONFIG_BYTES = 1024 * 1024;

/** The repository that a workspace's `.git` file names, or why none is taken for it; null where there is no such file, or the repository lies in the workspace. */
export function repositoryBehind(workspace: string): RepositoryBehind | null {
  const file = join(workspace, ".git");
  const stats = lookAt(file);
  if (stats === null || !stats.isFile()) return null;
  const owner = statSync(workspace).uid;
  if (stats.uid !== owner) return { fault: `${file} belongs to another user than the workspace.` };
  const named = lineOf(file, "gitdir: ");
  const git = named === null ? null : realOf(resolve(workspace, named));
  if (git === null) return { fault: `${file} names no directory that is there.` };
  const shared = lookAt(join(git, "commondir")) === null ? null : lineOf(join(git, "commondir"), "");
  const common = shared === null ? git : realOf(resolve(git, shared));
  if (common === null) return { fault: `${git}/commondir names no directory that is there.` };
  if (isWithin(common, workspace)) return null;
  if (isWithin(workspace, common)) return { fault: `The workspace lies in ${common}, which ${file} names.` };
  const worktree = common === git ? null : basename(git);
  return foreignReason({ git, common, worktree }, owner) ?? unnamedReason({ git, common, worktree }, workspace) ?? { path: common, worktree };
}

type Named = { readonly git: string; readonly common: string; readonly worktree: string | null };

/** Why a directory is no repository of this user's. */
function foreignReason({ git, common }: Named, owner: number): RepositoryBehind | null {
  const parts = [common, join(common, "HEAD"), join(common, "objects"), join(common, "refs"), join(common, "config"), git, join(git, "HEAD")].map(lookAt);
  const [, head, objects, refs, config, , ownHead] = parts;
  const isRepository = objects?.isDirectory() === true && refs?.isDirectory() === true && [head, config, ownHead].every((file) => file?.isFile() === true);
  if (!isRepository) return { fault: `${common} is no repository.` };
  return parts.every((part) => part?.uid === owner) ? null : { fault: `The repository ${common} belongs to another user than the workspace.` };
}

/** Why a repository does not say of itself that the workspace is its own. */
function unnamedReason({ git, common, worktree }: Named, workspace: string): RepositoryBehind | null {
  if (worktree !== null) {
    const back = git === join(common, "worktrees", worktree) ? lineOf(join(git, "gitdir"), "") : null;
    const isOwn = back !== null && basename(back) === ".git" && realOf(dirname(resolve(git, back))) === workspace;
    return isOwn ? null : { fault: `The repository ${common} has no worktree at the workspace.`, remedy: `git -C ${common} worktree repair ${workspace}` };
  }
  const text = lookAt(join(git, "config"))?.size ?? 0;
  const settings = text > MAX_CONFIG_BYTES ? null : readGitSettings(readFileSync(join(git, "config"), "latin1"));
  const tops = (settings ?? []).flatMap((setting) => (nameOfSetting(setting) === "core.worktree" ? [setting.value ?? ""] : []));
  const top = tops.length === 1 ? Buffer.from(tops[0] ?? "", "latin1").toString() : null;
  if (top !== null && realOf(resolve(git, top)) === workspace) return null;
  return {
    fault: `The repository ${common} does not say that the workspace is its own.`,
    remedy: `If it is: git --git-dir ${common} config core.worktree ${workspace}`,
  };
}

/** Git's own directory of the workspace. */
export function gitDirectoryOf({ path, worktree }: LinkedRepository): string {
  return worktree === null ? path : join(path, "worktrees", worktree);
}

/**
 * Whether a path belongs to what a run must not change in a linked repository: what steers git, and what is another worktree's. A predicate, because a
 * directory's name may have characters that mean something in a pattern. `isBound`: what is written there is the person's at once.
 */
export function guardedIn({ path: common, worktree }: LinkedRepository, isBound: boolean): (path: string) => boolean {
  const own = worktree === null ? null : gitDirectoryOf({ path: common, worktree });
  const others = worktree === null ? ["worktrees"] : [...directoryNames(join(common, "worktrees")).map((name) => `worktrees/${name}`), ...MAIN_WORKTREE];
  const shared = [...STEERING, ...(isBound ? STEERING_AT_ONCE : []), ...others];
  const guarded = new Set(shared.map((name) => join(common, name)).filter((path) => path !== own));
  for (const name of own === null ? [] : [...OWN_STEERING, ...(isBound ? OWN_STEERING_AT_ONCE : [])]) guarded.add(join(own ?? "", name));
  return (path) => guarded.has(path);
}

const STEERING = ["config", "config.worktree", "hooks"];
const OWN_STEERING = ["config.worktree", "commondir", "gitdir"];
const MAIN_WORKTREE = ["HEAD", "index", "logs/HEAD"];
/** Elsewhere a landing keeps it back. */
const STEERING_AT_ONCE = ["branches", "commondir", "info", "modules", "objects/info/alternates", "objects/info/http-alternates", "remotes"];
const OWN_STEERING_AT_ONCE = ["config", "hooks", "info", "modules"];

/** What a worktree writes of the repository that it shares. No directory of them is replaced while git works, so a mount on one stays. */
const WRITTEN_BY_WORKTREES = ["objects", "refs", "logs"];

/**
 * The roots that a bound session has of a repository. Of one that other worktrees share, only what commits go to may be written: the directory itself is
 * read-only, because a mount on a single file of it is gone as soon as the person's git replaces that file (`rename` detaches it).
 */
export function boundRoots(repository: LinkedRepository): SandboxProfile["roots"] {
  const { path, worktree } = repository;
  if (worktree === null) return [{ path, access: "read-write" }];
  const written = [...WRITTEN_BY_WORKTREES.map((name) => join(path, name)), gitDirectoryOf(repository)];
  return [{ path, access: "read" }, ...written.map((directory) => ({ path: directory, access: "read-write" as const }))];
}

/** Whether a bound session has the directory that worktrees share as {@link boundRoots} says: there nobody takes the lock of `packed-refs`. */
export function sharesRefs({ roots }: Pick<SandboxProfile, "roots">, { path: shared, worktree }: LinkedRepository): boolean {
  return worktree !== null && roots.some(({ path, access }) => path === shared && access === "read");
}

/** Why a bound session must not write to a repository, or null: what is mounted there must be a directory of the same user, and nothing beside it a link that a command could replace. */
export function unboundReason(repository: LinkedRepository): string | null {
  const { path } = repository;
  const owner = lookAt(path)?.uid;
  const written = boundRoots(repository).flatMap(({ path: root, access }) => (access === "read" ? [] : [root]));
  for (const directory of written) {
    const stats = lookAt(directory);
    if (stats?.isDirectory() !== true || stats.uid !== owner) return `${directory} is no directory of the repository's owner`;
  }
  for (const directory of [...written, join(path, "objects"), join(path, "objects", "info")])
    for (const name of directoryNames(directory)) if (lookAt(join(directory, name))?.isSymbolicLink() === true) return `${join(directory, name)} is a link`;
  return null;
}

/** Whether a path is a file that names a repository: whoever writes it decides whose configuration and hooks git reads there. */
export function isGitFile(path: string): boolean {
  return basename(path).toLowerCase() === ".git" && lookAt(path)?.isFile() === true;
}

/** The directories whose configuration git reads where a `.git` is a file: of a linked worktree, the one that all share, and its own. None where it is no such file. */
export function linkedDirectories(top: string): readonly string[] {
  const named = lineOf(join(top, ".git"), "gitdir: ");
  if (named === null) return [];
  const git = resolve(top, named);
  const shared = lineOf(join(git, "commondir"), "");
  return shared === null ? [git] : [resolve(git, shared), git];
}

/** A file's only line after a beginning; null for what is no such file. */
function lineOf(file: string, beginning: string): string | null {
  const stats = lookAt(file);
  if (stats === null || !stats.isFile() || stats.size > MAX_LINK_BYTES) return null;
  const [line = "", ...more] = readFileSync(file, "utf8")
    .replace(/[\r\n]+$/u, "")
    .split("\n");
  const isLine = more.length === 0 && line.startsWith(beginning) && line.length > beginning.length && !/[\0\uFFFD]/u.test(line);
  return isLine ? line.slice(beginning.length) : null;
}

function lookAt(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (["ENOTDIR", "EACCES", "ENAMETOOLONG", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}

/** The real path of a directory, or null. */
function realOf(path: string): string | null {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : null;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES", "ENAMETOOLONG", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}
