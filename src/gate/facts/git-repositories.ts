import { posix } from "node:path";
import { isMeasured, type PathFact } from "../../policy/facts.ts";
import type { Session } from "../../sandbox/runtime.ts";
import type { Place } from "./git-tracked-names.ts";

/** Where repositories are looked for: on the host, or in a session. */
export type SearchedPlace = Place & Pick<Session, "names">;

/** What git may take for a repository. */
export type Repository = {
  /** Its own directory, and the one with configuration and hooks that it may share with other worktrees. */
  readonly git: string;
  readonly common: string;
  /** Where its files lie; null: it may be a bare one, or where they lie its configuration says. */
  readonly top: string | null;
  /** Below which they lie if its configuration says where. */
  readonly within: string | null;
};

const MAX_HEAD_BYTES = 1024;
const MAX_LINK_BYTES = 8192;
/** From a deeper directory nobody looks for a repository. */
const MAX_LEVELS = 64;

/**
 * Every directory that git may take for its repository when it starts in `directory`, as setup.c of git looks for it: in the directory and those above, up to the first
 * that certainly is one. `only`: in that directory alone. A sentence's end where it cannot be known. `mayAppear`: what is missing may be there by then. `mayBecomeBare`: any of the
 * directories may have become one, up to the first that has a `.git`, where git looks first.
 */
export async function repositoriesFrom(
  place: SearchedPlace,
  directory: string,
  { mayAppear, mayBecomeBare }: { readonly mayAppear: boolean; readonly mayBecomeBare: boolean },
  reach: "above" | "only" = "above",
): Promise<readonly Repository[] | string> {
  const [start] = await place.resolve([directory]);
  if (!isMeasured(start)) return `a repository at ${directory}, which could not be looked at`;
  if (start.type === "missing" && mayAppear) return `a repository at ${directory}, which is made first`;
  if (start.type === "other") return `a repository at ${directory}, which leads elsewhere`;
  const found: Repository[] = [];
  let top = start.real;
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const [git, head] = await place.resolve([posix.join(top, ".git"), posix.join(top, "HEAD")]);
    const own = await repositoryBehind(place, git, top);
    if (typeof own === "string") return own;
    found.push(...own.repositories);
    if (own.isCertain || reach === "only") return found;
    if (mayBecomeBare) return `a repository at ${top}, which may be made first`;
    if (!isPlainlyMissing(head)) {
      const bare = await repositoryAt(place, top, null);
      if (typeof bare === "string") return bare;
      found.push(...bare.repositories);
    }
    if (top === "/") return found;
    top = posix.dirname(top);
  }
  return `a repository more than ${String(MAX_LEVELS)} directories above ${directory}`;
}

type Candidate = { readonly repositories: readonly Repository[]; /** git looks no further. */ readonly isCertain: boolean };

const NONE: Candidate = { repositories: [], isCertain: false };

/** What `.git` is: a repository, or a file that says where it is. */
async function repositoryBehind(place: SearchedPlace, git: PathFact | undefined, top: string): Promise<Candidate | string> {
  if (!isMeasured(git)) return `a repository in ${top}, which could not be looked at`;
  if (git.type === "directory") return await repositoryAt(place, git.real, top);
  if (git.type === "missing") return git.real === git.path ? NONE : `a repository at ${git.path}, which leads elsewhere`;
  const text = git.type === "file" ? await place.bytes(git.path, MAX_LINK_BYTES) : null;
  const named = /^gitdir: ([^\n\0]+)[\r\n]*$/.exec(text?.toString("latin1") ?? "")?.[1]?.replace(/\r+$/, "");
  if (named === undefined) return `what nobody can read in ${git.path}`;
  const at = await repositoryAt(place, posix.resolve(top, named), top);
  // Where there is no repository, git fails.
  return typeof at === "string" ? at : { ...at, isCertain: true };
}

/** What a HEAD says for certain: a branch, or a commit. */
const HEAD = /^(?:ref: refs\/heads\/[\w-]+(?:[./][\w-]+)*|[0-9a-f]{40}|[0-9a-f]{64})\n$/;

/** A directory that git takes for a repository, if it has what makes one (setup.c, is_git_directory). */
async function repositoryAt(place: SearchedPlace, path: string, top: string | null): Promise<Candidate | string> {
  const [directory, head, objects, refs, shared] = await place.resolve([
    path,
    ...["HEAD", "objects", "refs", "commondir"].map((name) => posix.join(path, name)),
  ]);
  if (![directory, head, objects, refs, shared].every(isMeasured) || directory === undefined) return `a repository at ${path}, which could not be looked at`;
  if (directory.type === "missing" && directory.real === path) return NONE;
  if (directory.type !== "directory") return `a repository at ${path}, which leads elsewhere`;
  const git = directory.real;
  if (isMissingIn(head, git)) return NONE;
  if (isMissingIn(shared, git)) {
    if (isMissingIn(objects, git) || isMissingIn(refs, git)) return NONE;
    return { repositories: [{ git, common: git, top, within: null }], isCertain: await isCertain(place, git, head) };
  }
  const text = await place.bytes(posix.join(git, "commondir"), MAX_LINK_BYTES);
  const named = /^([^\n\0]+?)[\r\n]*$/.exec(text?.toString("latin1") ?? "")?.[1];
  if (named === undefined) return `what nobody can read in ${git}/commondir`;
  const [common] = await place.resolve([posix.resolve(git, named)]);
  if (!isMeasured(common) || (common.type !== "directory" && common.real !== common.path))
    return `a repository at ${posix.resolve(git, named)}, which leads elsewhere`;
  return { repositories: [{ git, common: common.real, top, within: null }], isCertain: false };
}

/** git skips a repository whose HEAD is a link to anything but a ref, and one whose directories it may not enter. */
async function isCertain(place: SearchedPlace, git: string, head: PathFact | undefined): Promise<boolean> {
  if (head?.type !== "file" || head.real !== posix.join(git, "HEAD")) return false;
  const text = await place.bytes(head.real, MAX_HEAD_BYTES);
  const inside = await place.resolve(["objects", "refs"].map((name) => posix.join(git, name, "heads")));
  const areEntered = inside.every((fact) => isMeasured(fact) && (fact.type === "directory" || isMissingIn(fact, posix.dirname(fact.path))));
  return areEntered && HEAD.test(text?.toString("latin1") ?? "");
}

/** Nothing is there, and no link leads there. */
export function isPlainlyMissing(fact: PathFact | undefined): boolean {
  return isMeasured(fact) && fact.type === "missing" && fact.real === fact.path;
}

function isMissingIn(fact: PathFact | undefined, directory: string): boolean {
  return isMeasured(fact) && fact.type === "missing" && fact.real.startsWith(`${directory}/`);
}
