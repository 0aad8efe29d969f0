import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeVisibleLine } from "../../base/text.ts";
import type { Change } from "../../sandbox/runtime.ts";
import { ancestorsOf, isRemoved } from "../../sandbox/workspace/files/layers.ts";
import { namesIn, statEntry } from "../../sandbox/workspace/files/tree.ts";
import { type Beginnings, readRepository, writeTables } from "../../sandbox/workspace/repository/beginnings.ts";
import { droppedCommits, notBegun } from "./dropped.ts";
import { type ChangedRepository, inCheckingRepository, storesTables, type Subject, take } from "./checking-repository.ts";
import { directoryOf, fileOf, filesOf, type Placed, placeOf, textOf } from "../../sandbox/workspace/repository/placed.ts";
import { movesOf, type RepositoryMoves } from "./moves.ts";
import { repositoryReason } from "../../sandbox/workspace/repository/paths.ts";
import { layerOf, takeIndex } from "./taken-index.ts";
import { filesBetween, readState, type RepositoryState, type StagedFiles, treeOf } from "../../sandbox/workspace/repository/state.ts";

/** What a run did to a repository, in a repository of ours that has its objects, refs and index. */
export type RunsRepository = {
  readonly subject: Subject;
  /** The ids of the objects that the run added. */
  readonly added: readonly string[];
  readonly beginning: RepositoryState;
  readonly run: RepositoryState;
  readonly moves: RepositoryMoves;
  /** Why what is staged, in the run or here, cannot be compared: then nothing lands. */
  readonly unreadable: string | null;
  /** Commits of the run that only its logs name, and that others of it took the place of. */
  readonly replaced: readonly string[];
};

export type LookedAt = ChangedRepository & { readonly beginnings: Beginnings };

/** More single files of refs than git leaves; it packs them. */
const MAX_REF_FILES = 100_000;

/** What git keeps while a command is not finished, by what a person calls it. */
const UNDER_WAY: Readonly<Record<string, string>> = {
  MERGE_HEAD: "a merge",
  "rebase-merge": "a rebase",
  "rebase-apply": "a rebase or `git am`",
  CHERRY_PICK_HEAD: "a cherry-pick",
  REVERT_HEAD: "a revert",
  sequencer: "a cherry-pick or revert",
  BISECT_START: "a bisect",
};

/** The command of git that is not finished in a layer, or null. */
function underWay(of: Placed, layer: "upper" | "lower"): string | null {
  for (const [name, command] of Object.entries(UNDER_WAY)) {
    const stats = statEntry(filesOf(of)[layer], placeOf(of, name));
    if (stats?.isFile() === true || stats?.isDirectory() === true) return command;
  }
  return null;
}

/** Why nothing moves while a command of git is not finished, or null. */
export function underWayReason(of: Placed): string | null {
  const inRun = underWay(of, "upper");
  if (inRun !== null) return `In the run, ${inRun} is under way: it lands when that is finished.`;
  return underWayHere(of);
}

/** The same of the person's own. */
export function underWayHere(of: Placed): string | null {
  const here = underWay(of, "lower");
  return here === null ? null : `Here, ${here} is under way: finish or abort it, and try again.`;
}

/** The run's repository before its index is looked at. */
export type OpenedRun = {
  readonly subject: Subject;
  /** The ids of the objects that the run added. */ readonly added: readonly string[];
  readonly beginning: RepositoryState;
  readonly beginnings: Beginnings;
  /** Its changed files, by their paths in it, with whether they are there. */ readonly files: ReadonlyMap<string, boolean>;
};

/**
 * Calls `use` with what a run did to a repository, as git reads it; or says why it cannot be read. `changes` are those of the repository that may land
 * (paths.ts). What git reads is what is shown and what lands: no file of the run's own is carried over.
 */
export async function withRunsRepository<T>(at: LookedAt, changes: readonly Change[], use: (looked: RunsRepository) => Promise<T>): Promise<T | string> {
  const replaced = replacedReason(at, "");
  if (replaced !== null) return replaced;
  return withRunsRefs<T | string>(at, changes, async ({ subject, added, beginning, files }) => {
    const { tree, staged } = beginning;
    const here = await readRepository(directoryOf(at), { tree });
    const now = typeof here === "string" ? await readRepository(directoryOf(at), { tree, staged }) : here;
    if (typeof now === "string") return underWayReason(at) ?? now;
    const withIndex = hasIndex(files) ? await readIndexOf({ subject, files }, tree) : null;
    const hasRead = withIndex !== null && typeof withIndex !== "string";
    const state = hasRead ? withIndex : await readState(subject.git, { tree, staged: now.staged });
    if (typeof state === "string") return `In the run: ${state}`;
    const { dropped, replaced: versions } = await droppedCommits({ subject, added, beginning, files }, state);
    // git follows a branch that names another one; the run's HEAD names what it named.
    const head = files.get("HEAD") === true || storesTables(subject) ? state.head : { ...state.head, ref: beginning.head.ref };
    const run = { ...state, head, refs: new Map([...state.refs, ...dropped]) };
    const runTree = await treeOf(subject.git, run.head.id);
    if (runTree === null) return "git cannot read the commit that HEAD names.";
    const committed = await filesBetween(subject.git, tree, runTree);
    if (typeof committed === "string") return committed;
    const inRun = typeof withIndex === "string" ? `In the run: ${withIndex}` : null;
    const unreadable = typeof here === "string" ? (underWayReason(at) ?? here) : inRun;
    const isFollowed = !hasRead && (await isMade(run.head.id, { subject, added, beginning }));
    return use({
      subject,
      added,
      beginning,
      run,
      moves: movesOf({ beginning, run, now, committed, isStaged: hasRead, isFollowed }),
      unreadable,
      replaced: versions,
    });
  });
}

/** What the run's index says otherwise than the commit of its HEAD; nothing where it cannot be read, or the run committed without it. */
export async function stagedIn(opened: OpenedRun, { id, tree }: { readonly id: string | null; readonly tree: string }): Promise<StagedFiles> {
  if (hasIndex(opened.files)) {
    const state = await readIndexOf(opened, tree);
    return typeof state === "string" ? new Map() : state.staged;
  }
  const staged = (await isMade(id, opened)) ? "" : await filesBetween(opened.subject.git, tree, opened.beginning.tree);
  return typeof staged === "string" ? new Map() : staged;
}

/** Whether the run made a commit itself. Once it is on a branch here, its object is no change any more, and still lies in the run's layer. */
async function isMade(id: string | null, { subject, added, beginning }: Pick<OpenedRun, "subject" | "added" | "beginning">): Promise<boolean> {
  if (id === null) return false;
  const isNew = added.includes(id) || statEntry(filesOf(subject).upper, placeOf(subject, `objects/${id.slice(0, 2)}/${id.slice(2)}`))?.isFile() === true;
  if (!isNew) return false;
  // One that `git gc` packed anew is none of its own.
  const own = await subject.git(["rev-list", "--max-count=1", "--stdin"], { input: [id, ...notBegun(beginning), ""].join("\n") });
  return !own.isDone || own.stdout !== "";
}

function hasIndex(files: ReadonlyMap<string, boolean>): boolean {
  return [...files.keys()].some((path) => path === "index" || path.startsWith("sharedindex."));
}

async function readIndexOf({ subject, files }: Pick<OpenedRun, "subject" | "files">, tree: string): Promise<RepositoryState | string> {
  return (await takeIndex(subject, files)) ?? (await readState(subject.git, { tree }));
}

/** The same without an index, which may be anything, and without what somebody did since. */
export async function withRunsRefs<T>(at: LookedAt, changes: readonly Change[], use: (opened: OpenedRun) => Promise<T>): Promise<T | string> {
  const { beginnings, repository } = at;
  const beginning = beginnings.get(repository);
  if (beginning === undefined) return "It is not known what the repository was when the session began.";
  if (typeof beginning === "string") return `When the session began, the repository could not be read: ${beginning}`;
  // Of a repository that is none any more nothing is the run's.
  const files = replacedReason(at, "") === null ? changedFiles(at, changes) : new Map<string, boolean>();
  const there = [...files].filter(([, isThere]) => isThere).map(([path]) => path);
  return inCheckingRepository<T | string>(at, there, async (subject, added) => {
    const fault = takeRefs(subject, files, beginning);
    return fault ?? use({ subject, added, beginning, beginnings, files });
  });
}

/**
 * The changed files by their paths in the repository, with whether they are there. Of refs all that the run wrote: a file that is the same here by now is no
 * change, and what the run made of it is the run's.
 */
function changedFiles(of: ChangedRepository, changes: readonly Change[]): ReadonlyMap<string, boolean> {
  const files = new Map<string, boolean>();
  for (const { path, kind, type } of changes) {
    const file = fileOf(of, path);
    if (type === "directory") continue;
    if (kind !== "deleted") files.set(file, true);
    else if (!files.has(file)) files.set(file, false);
  }
  for (const name of ["HEAD", "packed-refs", "refs", "reftable"]) for (const path of filesBelow(of, "upper", name)) files.set(path, true);
  return files;
}

/**
 * The refs as the run had them: those of when the session began, with the files that it wrote. What somebody moved since is not the run's, whether or not
 * the run saw it.
 */
function takeRefs(subject: Subject, files: ReadonlyMap<string, boolean>, beginning: RepositoryState): string | null {
  const { scratch } = subject;
  const { head } = beginning;
  const isTable = storesTables(subject);
  const tables = isTable ? filesBelow(subject, "lower", "reftable") : [];
  const changed = [...files.keys()].filter((path) => path === "HEAD" || path === "packed-refs" || /^(?:refs|reftable)\//u.test(path));
  if (changed.length + tables.length + (beginning.loose?.length ?? 0) > MAX_REF_FILES) return `It has more than ${String(MAX_REF_FILES)} files of refs.`;
  const lost = storageFault(subject, { files, isTable }) ?? replacedRefs(subject, files);
  if (lost !== null) return lost;
  for (const name of ["HEAD", "refs", "reftable"]) rmSync(join(scratch, name), { recursive: true, force: true });
  mkdirSync(join(scratch, "refs"));
  // The run saw where the person's HEAD is now, and did not put it there.
  if (!files.has("HEAD")) writeFileSync(join(scratch, "HEAD"), `${head.ref === null ? (head.id ?? "") : `ref: ${head.ref}`}\n`);
  if (isTable) writeTables(scratch, beginning.tables ?? {});
  else writeBegun(subject, files, beginning);
  for (const path of new Set([...tables, ...changed])) {
    const layer = layerOf(path, files);
    const isBegun = existsSync(join(scratch, path));
    // What lies here now is older or newer than the run: tables of when the session began come first.
    if (layer === null || path.endsWith(".lock") || (layer === "lower" && isBegun)) continue;
    if (isBegun) rmSync(join(scratch, path));
    take(subject, path, layer);
  }
  return null;
}

/** What a git before 2.45 finds in the place of a HEAD that lies in tables. */
const IN_TABLES = /^ref: refs\/heads\/\.invalid$/mu;

/** git opens what the list of tables names: a pipe elsewhere, too, and waits for its other end. */
const LIST_OF_TABLES = /^(?:0x[0-9a-f]{1,16}-0x[0-9a-f]{1,16}(?:-[0-9a-f]{1,16})?\.ref\n)*$/u;

/** Why refs cannot be compared by the files of both sides, or null. */
function storageFault(subject: Subject, { files, isTable }: { readonly files: ReadonlyMap<string, boolean>; readonly isTable: boolean }): string | null {
  if (isTable && (subject.outside?.linked.worktree ?? null) !== null)
    return "Its refs lie in tables (reftable), of which a linked worktree has its own: commit in the repository's main worktree, or take its files alone.";
  const list = "reftable/tables.list";
  if (isTable && files.get(list) === true && !LIST_OF_TABLES.test(textOf(filesOf(subject).upper, placeOf(subject, list)) ?? "none"))
    return `.git/${list} names what is no table.`;
  const isMigrated = !isTable && files.get("HEAD") === true && IN_TABLES.test(textOf(filesOf(subject).upper, placeOf(subject, "HEAD")) ?? "");
  return isMigrated ? "In the run, refs are stored in another way than here (git refs migrate): migrate here, too, and begin anew." : null;
}

/** Why a directory of a repository is none any more in the run, or null: what lies in it looks deleted, and was not. Empty: the repository's own. */
function replacedReason(of: Placed, directory: string): string | null {
  const place = placeOf(of, directory === "" ? "HEAD" : directory);
  const path = directory === "" ? dirname(place) : place;
  const stats = statEntry(filesOf(of).upper, path);
  return stats === null || stats.isDirectory() || (stats.isCharacterDevice() && directory !== "")
    ? null
    : `In the run, ${makeVisibleLine(path)} is no directory any more: nothing of the repository lands.`;
}

/** The same of a directory in which a ref is gone, where no ref took its place. */
function replacedRefs(subject: Subject, files: ReadonlyMap<string, boolean>): string | null {
  const gone = [...files].filter(([path, isThere]) => !isThere && path.startsWith("refs/"));
  const above = new Set(gone.flatMap(([path]) => ancestorsOf(path)).filter((directory) => files.get(directory) !== true));
  return [...above].map((directory) => replacedReason(subject, directory)).find((reason) => reason !== null) ?? null;
}

/** Refs of when the session began, but for those of which the run wrote or removed the file. */
function writeBegun(subject: Subject, files: ReadonlyMap<string, boolean>, { refs, loose }: RepositoryState): void {
  const { scratch } = subject;
  const own = new Set(loose ?? refs.keys());
  const packed: string[] = [];
  for (const [name, value] of refs) {
    if (!own.has(name) && !value.startsWith("ref: ")) packed.push(`${value} ${name}\n`);
    else if (!files.has(name) && !isRemoved(filesOf(subject), placeOf(subject, name))) {
      mkdirSync(dirname(join(scratch, name)), { recursive: true });
      writeFileSync(join(scratch, name), `${value}\n`);
    }
  }
  if (!files.has("packed-refs")) writeFileSync(join(scratch, "packed-refs"), packed.toSorted().join(""));
}

/** Files of one layer at a path or below it; they are relative to the repository, as it is. */
function filesBelow(of: Placed, layer: "upper" | "lower", path: string): readonly string[] {
  const root = filesOf(of)[layer];
  const stats = statEntry(root, placeOf(of, path));
  if (stats?.isDirectory() === true) return namesIn(root, placeOf(of, path)).flatMap((name) => filesBelow(of, layer, `${path}/${name}`));
  return stats?.isFile() === true && repositoryReason({ path: `.git/${path}`, type: "file" }) === null ? [path] : [];
}
