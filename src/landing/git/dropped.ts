import { statEntry } from "../../sandbox/workspace/files/tree.ts";
import { type Subject, take } from "./checking-repository.ts";
import { filesOf, placeOf } from "../../sandbox/workspace/repository/placed.ts";
import type { RepositoryState } from "../../sandbox/workspace/repository/state.ts";

// A run's logs do not land, and a commit that only they name would be gone with the run: one that it reset, whose branch it deleted, an older stash.

export type Dropped = {
  /** Refs that hold what else is nowhere, as names with ids. */ readonly dropped: readonly (readonly [string, string])[];
  /** What a rebase, an amendment or a commit of the same files took the place of. */ readonly replaced: readonly string[];
};

type Added = {
  readonly subject: Subject;
  /** The ids of the objects that the run added. */ readonly added: readonly string[];
  readonly beginning: RepositoryState;
  /** Its changed files, by their paths in it, with whether they are there. */ readonly files: ReadonlyMap<string, boolean>;
};

const REFS = "refs/warder/dropped/";

const MAX_LOG_BYTES = 16 * 1024 * 1024;
/** More than a person looks at. */
const MAX_DROPPED = 100;

/** Commits that a run made, and that none of its refs has any more: the last ones of each history. */
export async function droppedCommits({ subject, added, beginning, files }: Added, run: RepositoryState): Promise<Dropped> {
  const { git } = subject;
  const { named, amended } = await loggedIn({ subject, files }, new Set(added));
  if (named.size === 0) return NOTHING;
  const types = await git(["cat-file", "--batch-check=%(objecttype) %(objectname)"], { input: lines([...named]) });
  const commits = types.stdout.split("\n").flatMap((line) => /^commit ([0-9a-f]+)$/u.exec(line)?.[1] ?? []);
  if (!types.isDone || commits.length === 0) return NOTHING;
  const listed = await git(["rev-list", "--parents", "--stdin", "--not", "--all"], { input: lines(commits) });
  // git walks no history that lacks an object: that is said where it is checked.
  if (!listed.isDone) return NOTHING;
  const rows = listed.stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split(" ")]));
  const inner = new Set(rows.flatMap(([, ...parents]) => parents));
  const tips = rows.flatMap(([id = ""]) => (inner.has(id) ? [] : [id])).slice(0, MAX_DROPPED);
  if (tips.length === 0) return NOTHING;
  const [gone, held] = await Promise.all([
    git(["log", "--no-walk=unsorted", FORMAT, "--stdin"], { input: lines(tips) }),
    git(["log", FORMAT, "--all", "--stdin"], { input: lines(notBegun(beginning)) }),
  ]);
  const successors = readCommits(held.stdout);
  const isReplaced = (commit: Commit): boolean =>
    commit.tree === beginning.tree || amended.has(commit.id) || successors.some((other) => isVersion(commit, other));
  const found = readCommits(gone.stdout).filter(({ id }) => tips.includes(id));
  return {
    dropped: found.filter((commit) => !isReplaced(commit)).flatMap(({ id }) => (run.refs.has(nameOf(id)) ? [] : [[nameOf(id), id] as const])),
    replaced: found.filter(isReplaced).map(({ id }) => id),
  };
}

/** For git's lists of commits: none of those that were there when the session began. */
export function notBegun({ refs, head }: RepositoryState): readonly string[] {
  return [...refs.values(), head.id ?? ""].flatMap((id) => (/^[0-9a-f]+$/u.test(id) ? [`^${id}`] : []));
}

const NOTHING: Dropped = { dropped: [], replaced: [] };

function lines(ids: readonly string[]): string {
  return ids.map((id) => `${id}\n`).join("");
}

function nameOf(id: string): string {
  return REFS + id.slice(0, 12);
}

type Logged = { /** New objects that the logs name. */ readonly named: ReadonlySet<string>; /** What was amended. */ readonly amended: ReadonlySet<string> };

/** In the logs that the run wrote, as git reads them: of each ref the last entry first. */
async function loggedIn({ subject, files }: Pick<Added, "subject" | "files">, added: ReadonlySet<string>): Promise<Logged> {
  for (const [path, isThere] of files) if (isThere && path.startsWith("logs/") && sizeOf(subject, path) <= MAX_LOG_BYTES) take(subject, path);
  const told = await subject.git(["log", "--walk-reflogs", "--all", "--format=%H%x00%gD%x00%gs"]);
  const entries = told.stdout.split("\n").map((line) => line.split("\0"));
  const named = new Set(entries.flatMap(([id = ""]) => (added.has(id) ? [id] : [])));
  const amended = entries.flatMap(([, of = "", message = ""], at) => {
    const [before = "", ofBefore = ""] = entries[at + 1] ?? [];
    return message.startsWith("commit (amend)") && logOf(of) === logOf(ofBefore) ? [before] : [];
  });
  return { named, amended: new Set(amended) };
}

/** `HEAD@{2}` */
function logOf(entry: string): string {
  return entry.slice(0, entry.lastIndexOf("@{"));
}

function sizeOf(subject: Subject, path: string): number {
  return statEntry(filesOf(subject).upper, placeOf(subject, path))?.size ?? 0;
}

type Commit = {
  readonly id: string;
  readonly tree: string;
  readonly parents: string;
  /** Whose, and when it was first made. */ readonly origin: string;
  readonly subject: string;
};

const FORMAT = "--format=%H%x00%T%x00%P%x00%ae %at%x00%s";

function readCommits(output: string): readonly Commit[] {
  return output.split("\n").flatMap((line) => {
    const [id = "", tree = "", parents = "", origin = "", subject = ""] = line.split("\0");
    return id === "" ? [] : [{ id, tree, parents, origin, subject }];
  });
}

/** The same files, or what `git rebase` makes of a commit: that keeps its author, their date and what it says. A stash is a merge, and says the same as others. */
function isVersion(one: Commit, other: Commit): boolean {
  const isMerge = one.parents.includes(" ");
  return one.tree === other.tree || (!isMerge && one.origin === other.origin && one.subject === other.subject);
}
