import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeVisibleLine } from "../../base/text.ts";
import type { Change } from "../../sandbox/runtime.ts";
import type { ApplyRecord } from "../../sandbox/workspace/changes/apply-program.ts";
import { readRepository } from "../../sandbox/workspace/repository/beginnings.ts";
import { ancestorsOf } from "../../sandbox/workspace/files/layers.ts";
import { statEntry } from "../../sandbox/workspace/files/tree.ts";
import { directoryOf, filesOf, placeOf } from "../../sandbox/workspace/repository/placed.ts";
import type { CheckingGit } from "../../sandbox/workspace/repository/git.ts";
import { type LookedAt, type OpenedRun, stagedIn, underWayReason, withRunsRefs } from "../git/run.ts";
import { type FileEntry, filesBetween, readState, type RepositoryState, textOfPath, treeOf } from "../../sandbox/workspace/repository/state.ts";
import { writeTree } from "./uncommitted.ts";

// A run's work is brought onto where its branch is now by git in a repository of ours, which has no configuration: attributes that a run wrote name no
// driver there, and no file is checked out. What comes of it is prepared beside the run's layer, and then takes its place.

export type RebasePlan = LookedAt & {
  /** What lies outside of the repository's own files. */ readonly uncommitted: readonly Change[];
  /** Paths of the workspace that the run did not see. */ readonly hidden: readonly string[];
  /** Whether the file of a path is not what it was when the run began. */ readonly isTheirs: (path: string) => boolean;
  /** The id that git would give to the file that lies there now; null: there is none, or no file. */ readonly idOfFile: (path: string) => string | null;
  /** A directory of ours for files that go into the run's layer. */ readonly staging: string;
  /** Who owns what lies there. */ readonly owner: { readonly uid: number; readonly gid: number };
};

/** What is to be done to the run's layer, and what the run began from once that is done. */
export type Rebased = {
  readonly records: readonly ApplyRecord[];
  /** Files that are somebody's own and what the run builds upon now. */ readonly accepted: readonly string[];
  readonly beginning: RepositoryState;
  readonly branch: string;
  readonly onto: string;
  readonly commits: number;
};

/** Nothing changed: what conflicts, by the commit that does. */
export type Conflicts = { readonly conflicts: readonly { readonly what: string; readonly paths: readonly string[] }[] };

const GITLINK = "160000";
const SYMLINK = "120000";
const MAX_COMMITS = 1000;
const IDENTITY = ["-c", "user.name=warder", "-c", "user.email=warder@invalid"];

/** Writes into `staging` what the run's layer must hold so that its work stands on where the branch is now; or says why that cannot be. Nothing else is written. */
export async function rebaseRun(plan: RebasePlan, changes: readonly Change[]): Promise<Rebased | Conflicts | string> {
  return withRunsRefs<Rebased | Conflicts | string>(plan, changes, async (opened) => {
    const { subject, beginning } = opened;
    const { git } = subject;
    const waits = underWayReason(plan);
    if (waits !== null) return waits;
    if (statEntry(filesOf(plan).lower, placeOf(plan, "reftable")) !== null) return "Its refs are stored as a reftable: that is not rebased.";
    const run = await readState(git, { tree: beginning.tree, staged: new Map() });
    if (typeof run === "string") return `In the run: ${run}`;
    const start = beginning.head;
    if (run.head.ref === null || run.head.id === null || start.ref === null || start.id === null)
      return "HEAD names no branch with a commit, here or in the run.";
    const here = await readRepository(directoryOf(plan));
    if (typeof here === "string") return here;
    if (here.head.ref !== start.ref || here.head.id === null)
      return `${makeVisibleLine(here.head.ref ?? "No branch")} is checked out now, and ${makeVisibleLine(start.ref)} was when the run began: switch back.`;
    if (here.head.id === start.id) return `${makeVisibleLine(start.ref)} is where it was when the run began: there is nothing to rebase.`;
    const tree = await treeOf(git, run.head.id);
    if (tree === null) return "git cannot read the commit that HEAD names.";
    const staged = await stagedIn(opened, { id: run.head.id, tree });
    const written = await writeTree({ opened, head: run.head.id, changes: plan.uncommitted, staged, hidden: plan.hidden, reasonAgainst: () => null });
    if (typeof written === "string") return written;
    const dirty = await dirtyAmong(plan, git, here.tree, written.committed);
    if (typeof dirty === "string") return dirty;
    const brought = await bring(git, { from: start.id, head: run.head.id, onto: here.head.id, uncommitted: written.tree });
    if (typeof brought === "string" || "conflicts" in brought) return brought;
    const isApart = run.head.ref !== start.ref;
    if (isApart && run.refs.get(start.ref) !== beginning.refs.get(start.ref))
      return `The run moved ${makeVisibleLine(start.ref)}, and then worked on another branch.`;
    const tips = new Map([
      [start.ref, here.head.id],
      [run.head.ref, brought.tip],
    ]);
    const records = await recordsFor(plan, opened, { brought, here, before: written.tree, tips, committed: written.committed });
    if (typeof records === "string") return records;
    // What the run did to other refs is compared with what these were when it began.
    const refs = new Map([...beginning.refs, [start.ref, here.head.id]]);
    const loose = beginning.loose === undefined ? {} : { loose: [...new Set([...beginning.loose, start.ref])] };
    return {
      records,
      accepted: dirty.accepted,
      beginning: { head: here.head, tree: here.tree, staged: here.staged, refs, ...loose },
      branch: start.ref,
      onto: here.head.id,
      commits: brought.commits,
    };
  });
}

/** What somebody changed and did not commit is not written over: it stays theirs, and stands in the way. */
async function dirtyAmong(
  plan: RebasePlan,
  git: CheckingGit,
  tree: string,
  changes: readonly Change[],
): Promise<{ readonly accepted: readonly string[] } | string> {
  const theirs = [...new Set(changes.map(({ path }) => path))].filter((path) => plan.isTheirs(path));
  const accepted: string[] = [];
  for (const path of theirs) {
    const entry = await entryIn(git, tree, path);
    if ((entry?.id ?? null) !== plan.idOfFile(path))
      return `${makeVisibleLine(path)} has changes of yours that are not committed, and the run changed it too: commit or stash them.`;
    accepted.push(path);
  }
  return { accepted };
}

async function entryIn(git: CheckingGit, tree: string, path: string): Promise<FileEntry | null> {
  const listed = await git(["--literal-pathspecs", "ls-tree", "-z", "--full-tree", tree, "--", path], { encoding: "latin1" });
  const [, mode, id] = /^(\d+) \w+ ([0-9a-f]+)\t/u.exec(listed.stdout) ?? [];
  return mode === undefined || id === undefined ? null : { mode, id };
}

type Brought = { readonly tip: string; readonly tree: string; readonly commits: number };

/** Each commit of the run in turn, and then what it left uncommitted. */
async function bring(
  git: CheckingGit,
  { from, head, onto, uncommitted }: { from: string; head: string; onto: string; uncommitted: string },
): Promise<Brought | Conflicts | string> {
  const listed = await git(["rev-list", "--reverse", "--topo-order", "--parents", head, `^${from}`, `^${onto}`]);
  if (!listed.isDone) return `git cannot list the run's commits: ${makeVisibleLine(listed.complaint)}`;
  const commits = listed.stdout.split("\n").filter((line) => line !== "");
  if (commits.length > MAX_COMMITS) return `The run made more than ${String(MAX_COMMITS)} commits.`;
  let tip = onto;
  for (const line of commits) {
    const [commit = "", ...parents] = line.split(" ");
    const [parent] = parents;
    if (parents.length !== 1 || parent === undefined)
      return `The run made ${commit.slice(0, 12)}, which merges or begins a history: that cannot be rebased. Put it on a branch, and merge that.`;
    const subject = makeVisibleLine((await git(["log", "-1", "--format=%h %s", commit])).stdout.trim());
    const tree = await pick(git, { commit, parent, onto: tip });
    if (typeof tree !== "string") return { conflicts: [{ what: subject, ...tree }] };
    if (tree === "") return "git cannot merge here: Debian's 2.39 or later can.";
    // What is there already makes no commit.
    if (tree === (await treeOf(git, tip))) continue;
    const made = await recommit(git, { commit, tree, parent: tip });
    if (made === null) return `git cannot write ${subject} anew.`;
    tip = made;
  }
  const left = await commitOf(git, uncommitted, head);
  if (left === null) return "git cannot store what was left uncommitted.";
  const tree = await pick(git, { commit: left, parent: head, onto: tip });
  if (typeof tree !== "string") return { conflicts: [{ what: "what the run left uncommitted", ...tree }] };
  return tree === "" ? "git cannot merge here: Debian's 2.39 or later can." : { tip, tree, commits: commits.length };
}

/** The tree that has what a commit did to its parent, done to another commit; an empty text where git cannot say. */
async function pick(
  git: CheckingGit,
  { commit, parent, onto }: { commit: string; parent: string; onto: string },
): Promise<string | { readonly paths: readonly string[] }> {
  const tree = await treeOf(git, onto);
  // With the same parent, that is what both began from.
  const beside = tree === null ? null : await commitOf(git, tree, parent);
  if (beside === null) return "";
  const merged = await git([
    "-c",
    "merge.renames=false",
    "-c",
    "merge.directoryRenames=false",
    "merge-tree",
    "--write-tree",
    "--name-only",
    "--no-messages",
    "-z",
    beside,
    commit,
  ]);
  const [id = "", ...paths] = merged.stdout.split("\0");
  if (!/^[0-9a-f]{40,64}$/u.test(id)) return "";
  return merged.isDone ? id : { paths: [...new Set(paths.filter((path) => path !== "").map(makeVisibleLine))] };
}

async function commitOf(git: CheckingGit, tree: string, parent: string): Promise<string | null> {
  const made = await git([...IDENTITY, "commit-tree", "-p", parent, tree], { input: "warder\n" });
  return made.isDone ? made.stdout.trim() : null;
}

/** The same commit with another tree and parent: its signature would be of something else. */
async function recommit(git: CheckingGit, { commit, tree, parent }: { commit: string; tree: string; parent: string }): Promise<string | null> {
  const read = await git(["cat-file", "commit", commit], { encoding: "latin1" });
  const end = read.stdout.indexOf("\n\n");
  if (!read.isDone || end < 0) return null;
  const headers = read.stdout
    .slice(0, end)
    .replaceAll(/\n(?:gpgsig|gpgsig-sha256|mergetag) [^\n]*(?:\n [^\n]*)*/gu, "")
    .split("\n");
  const kept = headers.filter((line) => !/^(?:tree|parent) /u.test(line));
  const text = [`tree ${tree}`, `parent ${parent}`, ...kept].join("\n") + read.stdout.slice(end);
  const made = await git(["hash-object", "-t", "commit", "-w", "--stdin"], { input: Buffer.from(text, "latin1") });
  return made.isDone ? made.stdout.trim() : null;
}

type Work = {
  readonly brought: Brought;
  readonly here: RepositoryState;
  /** The tree of all that the run left, before. */ readonly before: string;
  /** What refs of the run name then. */ readonly tips: ReadonlyMap<string, string>;
  readonly committed: readonly Change[];
};

async function recordsFor(plan: RebasePlan, opened: OpenedRun, { brought, here, before, tips, committed }: Work): Promise<readonly ApplyRecord[] | string> {
  const { git } = opened.subject;
  const records: ApplyRecord[] = [];
  const [moved, results] = await Promise.all([filesBetween(git, before, brought.tree), filesBetween(git, here.tree, brought.tree)]);
  if (typeof moved === "string") return moved;
  if (typeof results === "string") return results;
  const changed = new Set(committed.map(({ path }) => Buffer.from(path).toString("latin1")));
  for (const bytes of results.keys())
    if (!changed.has(bytes)) return `${makeVisibleLine(textOfPath(bytes))} would have to change in a way that cannot be told apart from yours.`;
  const gone = new Set(plan.uncommitted.filter(({ kind, type }) => kind === "deleted" || (kind === "added" && type !== "directory")).map(({ path }) => path));
  for (const [bytes, { after }] of moved) {
    const path = textOfPath(bytes);
    // What the run did not touch shows what lies there.
    if (!changed.has(bytes)) {
      const above = ancestorsOf(path).find((directory) => gone.has(directory));
      if (above !== undefined) return `The run removed or replaced ${makeVisibleLine(above)}, in which ${makeVisibleLine(path)} changed here.`;
      continue;
    }
    if (!results.has(bytes)) records.push(["remove", path, "any"]);
    else if (after === null) return `${makeVisibleLine(path)} would go, and is still there here: that is not rebased.`;
    else {
      const record = await recordOf(plan, git, path, after);
      if (typeof record === "string") return record;
      records.push(record);
    }
  }
  const stored = await objectRecords(plan, opened, brought.tip, here.head.id ?? "");
  if (typeof stored === "string") return stored;
  // To a repository that the run did not write to, it has nothing of its own.
  if (opened.files.size === 0) return records;
  records.push(...stored, ["remove", placeOf(plan, "index"), "any"]);
  for (const [ref, tip] of tips) records.push(...putRecords(plan, placeOf(plan, ref), Buffer.from(`${tip}\n`), "0644"));
  return records;
}

async function recordOf(plan: RebasePlan, git: CheckingGit, path: string, { mode, id }: FileEntry): Promise<ApplyRecord | string> {
  const { uid, gid } = plan.owner;
  if (mode === GITLINK) return `${makeVisibleLine(path)} is a submodule: that is not rebased.`;
  const read = await git(["cat-file", "blob", id], { encoding: "latin1" });
  if (!read.isDone) return `git cannot read ${makeVisibleLine(path)}: ${makeVisibleLine(read.complaint)}`;
  const content = Buffer.from(read.stdout, "latin1");
  if (mode === SYMLINK) return ["link", path, "any", content.toString(), String(uid), String(gid)];
  stage(plan, path, content);
  return ["put", path, "any", mode === "100755" ? "0755" : "0644", String(uid), String(gid)];
}

function stage({ staging }: RebasePlan, path: string, content: Buffer): void {
  mkdirSync(dirname(join(staging, path)), { recursive: true, mode: 0o700 });
  writeFileSync(join(staging, path), content, { mode: 0o600 });
}

/** With the directories that it lies in. */
function putRecords(plan: RebasePlan, path: string, content: Buffer, mode: string): readonly ApplyRecord[] {
  const owner = [String(plan.owner.uid), String(plan.owner.gid)] as const;
  stage(plan, path, content);
  return [
    ...ancestorsOf(path)
      .toReversed()
      .map((directory): ApplyRecord => ["mkdir", directory, "0755", ...owner]),
    ["put", path, "any", mode, ...owner],
  ];
}

/** The new objects of the branch, each a file of its own. */
async function objectRecords(plan: RebasePlan, { subject, added }: OpenedRun, tip: string, onto: string): Promise<readonly ApplyRecord[] | string> {
  const { git, scratch } = subject;
  const listed = await git(["rev-list", "--objects", "--no-object-names", tip, `^${onto}`]);
  if (!listed.isDone) return `git cannot list the new commits: ${makeVisibleLine(listed.complaint)}`;
  const known = new Set(added);
  const records: ApplyRecord[] = [];
  for (const id of listed.stdout.split("\n").filter((line) => line !== "" && !known.has(line))) {
    const file = `objects/${id.slice(0, 2)}/${id.slice(2)}`;
    records.push(...putRecords(plan, placeOf(plan, file), readFileSync(join(scratch, file)), "0444"));
  }
  return records;
}
