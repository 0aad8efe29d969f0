import { makeVisibleLine } from "../../base/text.ts";
import type { CheckingGit } from "../../sandbox/workspace/repository/git.ts";
import { type Subject, topOf } from "./checking-repository.ts";

// What policy forbids is not in the run's view of the workspace, so to git it looks deleted there: `git commit -a` would say so, and take it away
// from everybody who pulls.

/**
 * Why what a run committed or staged must not land, because it takes away what was hidden from it; or null. `hidden`: paths of the workspace.
 * `added`: the ids of all objects that the run added; `named`: those that refs will name. `unstaged`: paths of the run's HEAD that its index has not, each character a byte.
 */
export async function lostHidden(
  subject: Subject,
  of: {
    readonly hidden: readonly string[];
    readonly added: readonly string[];
    readonly named: readonly string[];
    readonly unstaged: readonly string[];
  },
): Promise<string | null> {
  const top = topOf(subject);
  const hidden = of.hidden.filter((path) => path.startsWith(top)).map((path) => Buffer.from(path.slice(top.length)).toString("latin1"));
  if (hidden.length === 0) return null;
  const isHidden = (path: string): boolean => hidden.some((name) => path === name || path.startsWith(`${name}/`));
  const committed = await deletedIn(subject.git, of);
  if (committed === null) return "git cannot compare the commits with those before them.";
  const lost = committed.find(isHidden);
  if (lost !== undefined) return reasonFor("A commit deletes", lost);
  const unstaged = of.unstaged.find(isHidden);
  return unstaged === undefined ? null : reasonFor("The index deletes", unstaged);
}

/**
 * Paths that new commits take away from what each of their parents has; of the first commit there are none. Commits that no ref holds are left out: git
 * makes some of its own, as `git merge` does of what is not committed.
 */
async function deletedIn(
  git: CheckingGit,
  { added, named }: { readonly added: readonly string[]; readonly named: readonly string[] },
): Promise<readonly string[] | null> {
  const types = await git(["cat-file", "--batch-check=%(objecttype) %(objectname)"], { input: named.map((id) => `${id}^{}\n`).join("") });
  const tips = types.stdout.split("\n").flatMap((line) => /^commit ([0-9a-f]+)$/u.exec(line)?.[1] ?? []);
  if (!types.isDone) return null;
  if (tips.length === 0) return [];
  const held = await git(["rev-list", "--stdin"], { input: tips.map((id) => `${id}\n`).join("") });
  if (!held.isDone) return null;
  const own = new Set(added);
  const commits = held.stdout.split("\n").filter((id) => own.has(id));
  if (commits.length === 0) return [];
  const compared = await git(["diff-tree", "--stdin", "-c", "-r", "--no-renames", "--name-status", "-z"], { input: commits.map((id) => `${id}\n`).join("") });
  if (!compared.isDone) return null;
  const fields = latin1(compared.stdout).split("\0");
  // A commit's id, then a status and a path for each; a merge has one letter for each parent.
  return fields.filter((_field, at) => at > 0 && /^D+$/u.test(fields[at - 1] ?? ""));
}

/** As the index has its paths: each character a byte. */
function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}

function reasonFor(what: string, path: string): string {
  const name = makeVisibleLine(Buffer.from(path, "latin1").toString());
  return `${what} ${name}, which the policy hides from the run: it did not delete it, it did not see it. Commit on the host, or have the run commit without it (git restore --staged -- PATH).`;
}
