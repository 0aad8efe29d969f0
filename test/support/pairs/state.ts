// What a repository is, as git's plumbing tells it, and what one must be after a landing. Nothing of Warder's own is used here.

export type GitState = {
  /** Ids, or for a name of another ref `-> NAME`. */ readonly refs: ReadonlyMap<string, string>;
  /** `ref: NAME`, or an id. */ readonly head: string;
  /** Of stage 0: `MODE ID`. */ readonly index: ReadonlyMap<string, string>;
  readonly hasConflicts: boolean;
  /** Of the commit of HEAD: `MODE ID`. */ readonly committed: ReadonlyMap<string, string>;
  /** All that refs and their logs name, and what leads there. */ readonly commits: ReadonlySet<string>;
  /** Those that a ref or HEAD holds. */ readonly reachable: ReadonlySet<string>;
  readonly isUnderWay: boolean;
  /** Digest of the files of the index. */ readonly indexFiles: string;
};

/** A script of bash that tells it, to stdout. */
export const TELL_STATE = `
set +e
export GIT_NO_REPLACE_OBJECTS=1
exec 2> /dev/null
echo '#refs'; git for-each-ref --format='%(refname) %(objectname) %(symref)'
echo '#head'; git symbolic-ref -q HEAD | sed 's/^/ref: /' | grep . || git rev-parse -q --verify HEAD
echo '#index'; git -c index.threads=1 ls-files --stage
echo '#intended'; git diff-files --diff-filter=A --name-only
echo '#committed'; git ls-tree -r --full-tree HEAD
echo '#commits'; git rev-list --all --reflog; git rev-list HEAD
echo '#reachable'; git rev-list --all; git rev-list HEAD
echo '#way'; ls -d .git/MERGE_HEAD .git/rebase-merge .git/rebase-apply .git/CHERRY_PICK_HEAD .git/REVERT_HEAD .git/sequencer .git/BISECT_START
echo '#files'; cat .git/index .git/sharedindex.* | sha256sum
exit 0
`;

export function stateFrom(told: string): GitState {
  const sections = new Map<string, readonly string[]>();
  for (const part of told.split(/^#/mu).slice(1)) {
    const [name = "", ...lines] = part.split("\n");
    sections.set(
      name,
      lines.filter((line) => line !== ""),
    );
  }
  const of = (name: string): readonly string[] => sections.get(name) ?? [];
  const staged = of("index").map((line) => /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/u.exec(line) ?? []);
  const intended = new Set(of("intended"));
  return {
    refs: new Map(
      of("refs").map((line) => {
        const [name = "", id = "", target = ""] = line.split(" ");
        return [name, target === "" ? id : `-> ${target}`];
      }),
    ),
    head: of("head")[0] ?? "",
    index: new Map(staged.flatMap(([, mode, id, stage, path = ""]) => (stage === "0" && !intended.has(path) ? [[path, `${mode ?? ""} ${id ?? ""}`]] : []))),
    hasConflicts: staged.some(([, , , stage]) => stage !== "0"),
    committed: new Map(
      of("committed").map((line) => [line.slice(line.indexOf("\t") + 1), line.slice(0, line.indexOf("\t")).replace(/ (?:blob|commit) /u, " ")]),
    ),
    commits: new Set(of("commits")),
    reachable: new Set(of("reachable")),
    isUnderWay: of("way").length > 0,
    indexFiles: of("files")[0] ?? "",
  };
}

/** Refs of one worktree or of one command, and what stands in the place of objects, never land. */
const OWN = /^refs\/(?:bisect|worktree|rewritten|replace)\//u;

export type Places = Pick<GitState, "refs" | "head" | "index">;

/** What a landing makes of the person's repository: what the run made another is as the run made it, all else is theirs. */
export function landed(before: GitState, run: GitState, host: GitState): Places {
  const refs = new Map(host.refs);
  for (const name of new Set([...before.refs.keys(), ...run.refs.keys()])) {
    const [was, is, theirs] = [before, run, host].map((state) => state.refs.get(name));
    if (was === is || OWN.test(name) || [was, is, theirs].some((value) => value?.startsWith("->") === true)) continue;
    if (is === undefined) refs.delete(name);
    else refs.set(name, is);
  }
  return { refs, head: run.head === before.head ? host.head : run.head, index: landedIndex(before, run, host) };
}

/** Whether the run made its last commit without an index. */
export function isMadeWithoutIndex(before: GitState, run: GitState): boolean {
  const named = run.head.startsWith("ref: ") ? (run.refs.get(run.head.slice("ref: ".length)) ?? "") : run.head;
  const tip = named.startsWith("-> ") ? (run.refs.get(named.slice("-> ".length)) ?? "") : named;
  return run.indexFiles === before.indexFiles && tip !== "" && !before.commits.has(tip);
}

function landedIndex(before: GitState, run: GitState, host: GitState): ReadonlyMap<string, string> {
  const index = new Map(host.index);
  const isMadeWithout = isMadeWithoutIndex(before, run);
  for (const path of new Set([...before.index.keys(), ...run.index.keys(), ...before.committed.keys(), ...run.committed.keys()])) {
    const was = before.index.get(path);
    // Commits that were made without an index are followed by it, where it says what the commit before said.
    const isFollowed = isMadeWithout && was === before.committed.get(path);
    const is = isFollowed ? run.committed.get(path) : run.index.get(path);
    if (is === was) continue;
    if (is === undefined) index.delete(path);
    else index.set(path, is);
  }
  return index;
}

/** In what two differ, for a person. */
export function differences(one: Places, other: Places): readonly string[] {
  const between = (what: string, from: ReadonlyMap<string, string>, to: ReadonlyMap<string, string>): readonly string[] =>
    [...new Set([...from.keys(), ...to.keys()])]
      .filter((name) => from.get(name) !== to.get(name))
      .map((name) => `${what} ${name}: ${from.get(name) ?? "nothing"} / ${to.get(name) ?? "nothing"}`);
  return [
    ...(one.head === other.head ? [] : [`HEAD: ${one.head} / ${other.head}`]),
    ...between("ref", one.refs, other.refs),
    ...between("index", one.index, other.index),
  ];
}
