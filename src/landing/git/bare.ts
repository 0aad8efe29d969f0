import type { Change } from "../../sandbox/runtime.ts";
import type { Layers } from "../../sandbox/workspace/files/layers.ts";
import { repositoryOf } from "../../sandbox/workspace/repository/paths.ts";
import { statEntry } from "../../sandbox/workspace/files/tree.ts";

// git takes any directory with these for a repository, whatever its name, and obeys the configuration and hooks in it, or in the directory that
// its `commondir` names, as soon as somebody runs git there (setup.c, is_git_directory; safe.bareRepository of git-config(1) is off by default).
const MARKS = ["HEAD", "objects", "refs"];
const COMMON = "commondir";
const STEERING = ["config", "config.worktree", "hooks", COMMON];
/** What is no commit of it: it says what git runs, where objects come from, and what stands in the place of others. A list of refs says what they peel to. */
const STEERS = /^(?:config(?:\.worktree)?|commondir|packed-refs|shallow|(?:hooks|info|objects\/info|refs\/replace|worktrees|modules|reftable)(?:\/.*)?)$/s;
const COMPLETES = /^(?:.*\/)?(?=(?:HEAD|objects|refs)$)/s;

/** Why a path that would steer a repository without a `.git`, or make one of what would steer it, is never applied, or null. */
export function bareRepositoryReason({ path, kind }: Pick<Change, "path" | "kind">, { upper, lower }: Layers): string | null {
  const isBefore = (name: string): boolean => statEntry(lower, name) !== null;
  const isThere = (name: string): boolean => statEntry(upper, name) !== null || isBefore(name);
  // What lies in a `.git` is judged by its name (paths.ts).
  const starts = startsOf(path).filter((start) => !`/${start}`.includes("/.git/"));
  if (starts.some((start) => STEERS.test(path.slice(start.length)) && isRepository(start, isThere)))
    return "It steers git in a directory that git takes for a repository, and is not applied.";
  const completed = kind === "deleted" || repositoryOf(path) !== null ? undefined : COMPLETES.exec(path)?.[0];
  if (completed === undefined || isRepository(completed, isBefore) || !isRepository(completed, isThere)) return null;
  const found = STEERING.find((name) => isBefore(completed + name));
  return found === undefined ? null : `With it git would take its directory for a repository, and obey ${found} there; it is not applied.`;
}

function isRepository(directory: string, isThere: (path: string) => boolean): boolean {
  if (!isThere(`${directory}HEAD`)) return false;
  return isThere(directory + COMMON) || MARKS.every((name) => isThere(directory + name));
}

/** The directories that a path lies in, each with its slash, the workspace first. */
function startsOf(path: string): readonly string[] {
  const starts = [""];
  for (let end = path.indexOf("/"); end > 0; end = path.indexOf("/", end + 1)) starts.push(path.slice(0, end + 1));
  return starts;
}
