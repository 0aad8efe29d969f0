import { makeVisibleLine } from "../../base/text.ts";
import type { Change } from "../../sandbox/runtime.ts";
import { directoryOf } from "../../sandbox/workspace/repository/placed.ts";
import { checkObjects, lostSubmodule, type RepositoryCheck } from "../git/check.ts";
import { lostHidden } from "../git/hidden-paths.ts";
import { landObjects } from "../git/land.ts";
import type { NoteLanding, NoteLocks } from "../../sandbox/workspace/repository/noted.ts";
import { lockAdvice } from "../git/locks.ts";
import { type PersonGit, personGit } from "../git/person-git.ts";
import { type LookedAt, type OpenedRun, stagedIn, withRunsRefs } from "../git/run.ts";
import { repositorySecrets } from "../git/secrets.ts";
import { readState, treeOf } from "../../sandbox/workspace/repository/state.ts";
import { writeTree } from "./uncommitted.ts";

export type BranchPlan = LookedAt &
  RepositoryCheck & {
    /** Only its commits are put on the branch. */ readonly isSubmodule: boolean;
    readonly runId: string;
    /** Without `refs/heads/`. */ readonly branch: string;
    /** The run and its policy, as lines `Name: value`. */ readonly trailers: readonly string[];
    readonly message: string;
    readonly note: NoteLanding;
    readonly noteLocks: NoteLocks;
    /** What lies outside of the repository's own files. */ readonly uncommitted: readonly Change[];
    /** Why a change may not be committed, or null. */ readonly reasonAgainst: (change: Change) => string | null;
  };

export type Branched = {
  readonly branch: string;
  readonly commit: string;
  /** What the run left uncommitted, and is in the last commit now. */ readonly committed: readonly Change[];
  readonly refused: readonly { readonly change: Change; readonly reason: string }[];
};

/** Nothing that somebody does stands in the way of a branch but the lock of refs, which lies on all of them where they lie in tables: it is waited for. */
const LOCK_WAIT_MS = 5000;

export const NOTHING_TO_BRANCH = "The run committed nothing, and left nothing that may be committed.";

/**
 * Puts what a run did on a new branch, from where it began: its commits, and in one more what it left uncommitted. Neither checkout nor index is touched, so
 * nothing that somebody did meanwhile stands in the way. `changes`: of the repository's own files. Returns why there is no branch, or the branch.
 */
export async function branchRepository(plan: BranchPlan, changes: readonly Change[]): Promise<Branched | string> {
  return withRunsRefs<Branched | string>(plan, changes, async (opened) => {
    const { subject, added, beginning } = opened;
    const person = await personGit({ directory: directoryOf(plan), top: plan.workspace, workspace: plan.workspace }, LOCK_WAIT_MS);
    const named = await person.run(["check-ref-format", "--branch", plan.branch]);
    if (!named.isDone) return `${makeVisibleLine(plan.branch)} is no name of a branch.`;
    const fault = await checkObjects(subject, added, "run");
    if (fault !== null) return fault;
    // Its index is not needed, and may be anything.
    const run = await readState(subject.git, { tree: beginning.tree, staged: new Map() });
    const head = typeof run === "string" ? beginning.head.id : run.head.id;
    const tree = await treeOf(subject.git, head);
    const staged = tree === null ? new Map() : await stagedIn(opened, { id: head, tree });
    const written = plan.isSubmodule
      ? { tree, committed: [], refused: [] }
      : await writeTree({ opened, head, changes: plan.uncommitted, staged, hidden: plan.hidden, reasonAgainst: plan.reasonAgainst });
    if (typeof written === "string") return written;
    const commit = written.tree === tree || written.tree === null ? head : await commitTree(opened, person, { tree: written.tree, head, plan });
    if (commit === null || commit === beginning.head.id) return NOTHING_TO_BRANCH;
    if (!/^[0-9a-f]+$/u.test(commit)) return commit;
    const landed = await landCommit(opened, person, { commit, plan });
    return landed ?? { branch: plan.branch, commit, committed: written.committed, refused: written.refused };
  });
}

type Committed = { readonly tree: string; readonly head: string | null; readonly plan: BranchPlan };

/** By the person, as git knows them. The id, or why there is no commit. */
async function commitTree({ subject }: OpenedRun, person: PersonGit, { tree, head, plan }: Committed): Promise<string> {
  const identity = await person.run(["var", "GIT_COMMITTER_IDENT"]);
  const [, name, address] = /^(.*) <(.*)> \d+ [+-]\d{4}\s*$/u.exec(identity.stdout) ?? [];
  if (name === undefined || address === undefined)
    return `git does not know who you are: git config user.name NAME, git config user.email ADDRESS (${identity.complaint})`;
  const made = await subject.git(["-c", `user.name=${name}`, "-c", `user.email=${address}`, "commit-tree", ...(head === null ? [] : ["-p", head]), tree], {
    input: `Left uncommitted by ${plan.runId}\n\n${plan.trailers.join("\n")}\n`,
  });
  return made.isDone ? made.stdout.trim() : `git cannot commit: ${makeVisibleLine(made.complaint)}`;
}

/** Only what the branch holds, and the person's repository has not. */
async function landCommit(
  { subject, beginning, added }: OpenedRun,
  person: PersonGit,
  { commit, plan }: { commit: string; plan: BranchPlan },
): Promise<string | null> {
  const { git, scratch, format } = subject;
  const begun = beginning.head.id === null ? [] : ["--not", beginning.head.id];
  const listed = await git(["rev-list", "--objects", "--no-object-names", commit, ...begun]);
  if (!listed.isDone) return `git cannot list the commits: ${makeVisibleLine(listed.complaint)}`;
  const ids = listed.stdout.split("\n").filter((id) => id !== "");
  const fault = await checkObjects(subject, ids, "branch");
  if (fault !== null) return fault;
  const names = plan.allowsSecrets ? [] : await repositorySecrets(ids, beginning.head.id, { git, secrets: plan.secrets });
  if (typeof names === "string") return names;
  if (names.length > 0) return `A commit holds ${names.join(", ")}.`;
  const lost = await lostHidden(subject, { hidden: plan.hidden, added, named: [commit], unstaged: [] });
  if (lost !== null) return lost;
  const unknown = await lostSubmodule({ git, madeInSubmodules: plan.madeInSubmodules }, [{ id: commit, type: "commit" }]);
  if (unknown !== null) return unknown;
  // One that was made before something stopped the other.
  const known = await person.run(["rev-parse", "-q", "--verify", `refs/heads/${plan.branch}`]);
  if (plan.isSubmodule && known.stdout.trim() === commit) return null;
  const stored = await landObjects(person, { scratch, name: "branch", count: ids.length });
  if (stored !== null) return stored;
  const zero = "0".repeat(format === "sha1" ? 40 : 64);
  plan.note({ repository: plan.repository, refs: [{ name: `refs/heads/${plan.branch}`, before: null, after: commit }], head: null, index: [] });
  const held = await person.prepare(plan.message, `update refs/heads/${plan.branch} ${commit} ${zero}\n`, plan.noteLocks);
  const reason = typeof held === "string" ? held : await held.commit();
  if (reason === null) return null;
  const advice = lockAdvice(reason);
  const waited = advice === "" ? "" : ` That was waited for, ${String(LOCK_WAIT_MS / 1000)} s.`;
  return `git does not make the branch ${makeVisibleLine(plan.branch)}: ${reason}${waited}${advice}`;
}
