import type { Layers } from "./flags.ts";
import { statEntry } from "./tree.ts";

// git takes any directory with these three for a repository, whatever its name, and obeys the configuration and hooks in it as soon as
// somebody runs git there (safe.bareRepository of git-config(1) is off by default).
const MARKS = ["HEAD", "objects", "refs"];
const STEERS = /^(?:.*\/)?(?=(?:config(?:\.worktree)?|hooks(?:\/.*)?)$)/s;

/** Why a path that would steer a repository without a `.git` is never applied, or null. */
export function bareRepositoryReason(path: string, layers: Layers): string | null {
  const directory = STEERS.exec(path)?.[0];
  if (directory === undefined) return null;
  const isThere = (name: string): boolean => statEntry(layers.upper, `${directory}${name}`) !== null || statEntry(layers.lower, `${directory}${name}`) !== null;
  return MARKS.every(isThere) ? "It steers git in a directory that git takes for a repository, and is not applied." : null;
}
