import { posix } from "node:path";
import { isMeasured } from "../../policy/facts.ts";
import { MAX_READ_BYTES, type Session } from "../../sandbox/runtime.ts";
import { readIndex } from "./git-index.ts";

/** Where a repository lies: on the host, or in a session. */
export type Place = Pick<Session, "resolve" | "bytes">;

/** Of all its names: what a few bytes of an index may stand for takes seconds to read. */
const MAX_NAME_BYTES = 16 * 1024 * 1024;
const MAX_HEAD_BYTES = 1024;

/**
 * The names in the index of the repository that a directory belongs to, from its top, and from the directory where they lie below it; none where there is no
 * repository. Null where that cannot be told, and where git might look elsewhere: a directory that holds a HEAD may be a repository itself, and above a `.git` that
 * is none there may be another one.
 */
export async function trackedBelow(place: Place, directory: string): Promise<readonly string[] | null> {
  for (let top = directory; ; top = posix.dirname(top)) {
    const [git, head] = await place.resolve([posix.join(top, ".git"), posix.join(top, "HEAD")]);
    if (!isMeasured(git) || git.real !== git.path || !isMeasured(head) || head.type !== "missing") return null;
    if (git.type !== "missing") return git.type === "directory" && (await isRepository(place, git.path)) ? await namesBelowTop(place, top, directory) : null;
    if (top === "/") return [];
  }
}

/** What a HEAD says: a branch, or a commit (setup.c of git, is_git_directory). */
const HEAD = /^(?:ref: refs\/[\w./-]+|[0-9a-f]{40})\n$/;

async function isRepository(place: Place, git: string): Promise<boolean> {
  const [objects, refs, common] = await place.resolve(["objects", "refs", "commondir"].map((name) => posix.join(git, name)));
  if (!isMeasured(objects) || !isMeasured(refs) || !isMeasured(common)) return false;
  const head = await place.bytes(posix.join(git, "HEAD"), MAX_HEAD_BYTES);
  return objects.type === "directory" && refs.type === "directory" && common.type === "missing" && HEAD.test(head?.toString("latin1") ?? "");
}

async function namesBelowTop(place: Place, top: string, directory: string): Promise<readonly string[] | null> {
  const bytes = await place.bytes(posix.join(top, ".git/index"), MAX_READ_BYTES);
  // Ids of SHA-1: with others its digest does not fit, and it is not known.
  const index = bytes === null ? "There is none." : readIndex(bytes, 20, MAX_NAME_BYTES);
  const names = typeof index === "string" ? null : index.entries.map(({ path }) => path);
  const prefix = `${posix.relative(top, directory)}/`;
  return names === null || prefix === "/" ? names : [...names, ...names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))];
}
