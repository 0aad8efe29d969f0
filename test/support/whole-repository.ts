import type { GitWorkspace } from "./git-workspace.ts";
import { type GitState, stateFrom, TELL_STATE } from "./pairs/state.ts";

/** In what a repository on the host is not whole: git finds a fault, does not work, commits something else than the index, or others clone something else. */
export function wholeFaults(
  here: GitWorkspace,
  { index }: GitState,
  { hasCommit }: { /** A commit can be made. */ readonly hasCommit: boolean },
): readonly string[] {
  const faults: string[] = [];
  const say = (what: string, script: string): void => {
    try {
      here.onHost(script);
    } catch (error) {
      faults.push(`${what}: ${String((error as { stderr?: string }).stderr ?? error).slice(0, 500)}`);
    }
  };
  say("git fsck", "git fsck --strict --no-dangling > ../fsck 2>&1 || { cat ../fsck >&2; false; }");
  say("git status", "git status > /dev/null");
  const refs = "for-each-ref --format='%(refname) %(objectname) %(tree)'";
  say("a clone", "git clone -q --no-local --mirror . ../clone; git -C ../clone fsck --strict --no-dangling");
  say("refs of a clone", `git ${refs} > ../here; git -C ../clone ${refs} > ../there; diff ../here ../there >&2`);
  if (!hasCommit) return faults;
  say("the next commit", "git commit -q --allow-empty --no-verify -m next");
  const [is, wanted] = [treeText(stateFrom(here.onHost(TELL_STATE)).committed), treeText(index)];
  if (is !== wanted) faults.push(`the next commit holds\n${is}\ninstead of\n${wanted}`);
  return faults;
}

/** Entries of a tree or of an index, for a comparison. */
export function treeText(tree: ReadonlyMap<string, string>): string {
  return [...tree]
    .map(([path, entry]) => `${entry} ${path}`)
    .toSorted()
    .join("\n");
}
