import type { ActionResult } from "../../sandbox/outcome.ts";

type ExecResult = Extract<ActionResult, { kind: "exec" }>;

/** What git prints where it cannot take the lock of all refs, or that of a clean-up. */
const NO_LOCK = /(?:packed-refs|gc\.pid)\.lock'?: Read-only file system/u;

/** What a command's repository had to do with its end, a line each; empty where it had nothing. Not a program's words but Warder's. */
export function repositoryNotes({ stdout, stderr, sharesRefs }: ExecResult): readonly string[] {
  if (sharesRefs !== true || ![stdout.text, stderr.text].some((text) => NO_LOCK.test(text))) return [];
  return [
    "This workspace is a bound worktree, and `packed-refs` of the repository that it shares is read-only here. So no branch or tag is deleted, renamed or packed, and `git gc` does not run. " +
      "Commits are made all the same, those of cherry-pick, revert and rebase too. A person deletes refs outside the sandbox; a policy with a transactional workspace lets them be deleted inside.",
  ];
}
