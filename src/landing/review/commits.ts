import { makeVisibleLine } from "../../base/text.ts";
import type { Change } from "../../sandbox/runtime.ts";
import { hostFlags, otherFlags, stagedFlags, workspaceFiles, type WorkspaceFiles } from "./committed-files.ts";
import { byRank, type Flag, type FlaggedChange, type RefNote, withFlags } from "./ranks.ts";
import { isNothing } from "../git/land.ts";
import { placeOf } from "../../sandbox/workspace/repository/placed.ts";
import { PLAIN_NAMES } from "../../sandbox/workspace/repository/names.ts";
import { unitsOf } from "../../sandbox/workspace/repository/paths.ts";
import { type LookedAt, type RunsRepository, underWayReason, withRunsRepository } from "../git/run.ts";
import { filesBetween, type Head, type StagedFiles, textOfPath, treeOf } from "../../sandbox/workspace/repository/state.ts";

// Commits can hold other files than the ones beside them: what lands with a ref is what is pushed, checked out and built.

/** More refs than a run moves; what further ones hold is not compared, and they are flagged as that. */
const MAX_REFS = 20;
/** Of so many more not even the names are shown. */
const MAX_SHOWN_REFS = 1000;
const MAX_SHOWN_FILES = 50;
const MAX_FLAGS = 20;
const MAX_SHOWN_COMMITS = 10;
const MAX_SUBJECT_CHARACTERS = 120;

/** The changes again; those that move refs, or stage files, with what the commits and the index hold. `beside`: the changes of the files beside the repository. */
export async function withCommits(
  changes: readonly FlaggedChange[],
  place: Omit<LookedAt, "repository">,
  beside = changes as readonly Change[],
): Promise<readonly FlaggedChange[]> {
  const notes = new Map<string, Note>();
  for (const [repository, unit] of unitsOf(changes, place.outside?.names ?? PLAIN_NAMES)) {
    const found = await notesOf({ ...place, repository }, unit, beside);
    for (const [path, note] of found) notes.set(path, note);
  }
  return changes.map((change) => {
    const note = notes.get(change.path);
    if (note === undefined || note.flags.length + note.refs.length === 0) return change;
    return { ...change, flags: withFlags(change.flags, note.flags), ...(note.refs.length === 0 ? {} : { refs: note.refs }) };
  });
}

type MovedRef = RunsRepository["moves"]["refs"][number];
type Note = { readonly flags: Flag[]; readonly refs: RefNote[] };
type Notes = ReadonlyMap<string, Note>;

async function notesOf(changed: LookedAt, unit: readonly Change[], all: readonly Change[]): Promise<Notes> {
  const notes = new Map<string, Note>();
  /** What a person reads at a file of the repository; where it did not change, at another one of its. */
  const noteAt = (...files: readonly string[]): Note => {
    const paths = files.map((file) => placeOf(changed, file));
    const path = paths.find((candidate) => unit.some((change) => change.path === candidate)) ?? unit[0]?.path ?? "";
    const note = notes.get(path) ?? { flags: [], refs: [] };
    notes.set(path, note);
    return note;
  };
  const files = workspaceFiles(changed, all);
  const failed = await withRunsRepository(changed, unit, async (looked) => {
    const { refs, head, symbolic, staged, conflict } = looked.moves;
    const look = { looked, files };
    if (refs.length > MAX_SHOWN_REFS)
      noteAt("packed-refs").flags.push({ kind: "commit", reason: `${String(refs.length - MAX_SHOWN_REFS)} refs more move: so many are not looked at.` });
    for (const [at, ref] of refs.slice(0, MAX_SHOWN_REFS).entries()) await addRef(noteAt(ref.name, "packed-refs"), ref, { ...look, isCompared: at < MAX_REFS });
    if (head !== null) {
      noteAt("HEAD").flags.push({ kind: "checkout", reason: `It checks out ${head.ref === null ? "no branch" : shortName(makeVisibleLine(head.ref))} here.` });
      await addRef(noteAt("HEAD"), headMove(head, looked), { ...look, isCompared: true });
    }
    for (const name of symbolic)
      noteAt(name, "packed-refs").flags.push({ kind: "commit", reason: `${makeVisibleLine(name)} names another ref: that does not land.` });
    if (staged.size > 0) await addStaged(noteAt("index"), staged, look);
    if (looked.replaced.length > 0) await addReplaced(noteAt("logs/HEAD", "HEAD"), looked);
    if (looked.unreadable !== null) noteAt("index", "HEAD").flags.push({ kind: "conflict", reason: looked.unreadable });
    const waits = looked.unreadable !== null || isNothing(looked.moves) ? null : (underWayReason(changed) ?? conflict);
    if (waits !== null) noteAt("HEAD", "index", "packed-refs").flags.push({ kind: "conflict", reason: waits });
    return null;
  });
  if (failed !== null) noteAt("HEAD", "index", "packed-refs").flags.push({ kind: "commit", reason: `What is committed cannot be shown: ${failed}` });
  return notes;
}

function headMove({ ref, id }: Head, { beginning }: RunsRepository): MovedRef {
  return { name: `HEAD (${ref === null ? "no branch" : `ref: ${ref}`})`, before: beginning.head.id, after: id };
}

type Look = { readonly looked: RunsRepository; readonly files: WorkspaceFiles };

async function addRef(note: Note, ref: MovedRef, look: Look & { readonly isCompared: boolean }): Promise<void> {
  const { subject, beginning, run } = look.looked;
  const name = makeVisibleLine(ref.name);
  const summary = `${name}: ${shortOf(ref.before)} → ${shortOf(ref.after)}`;
  const unknown = (why: string): void => {
    note.refs.push({ summary, commits: [], files: [] });
    note.flags.push({ kind: "commit", reason: `${name} was not compared: ${why}` });
  };
  if (ref.name === beginning.head.ref) note.flags.push({ kind: "checkout", reason: `It moves ${shortName(name)}, the branch that is checked out here.` });
  if (ref.after === null) return void note.refs.push({ summary, commits: [], files: [] });
  if (!look.isCompared) return unknown(`more than ${String(MAX_REFS)} refs move.`);
  const base = await treeOf(subject.git, ref.before ?? beginning.head.id);
  const tree = await treeOf(subject.git, ref.after);
  const entries = base === null || tree === null ? "it has no files." : await filesBetween(subject.git, base, tree);
  if (typeof entries === "string") return unknown(entries);
  note.refs.push({
    summary: `${summary}, ${counted(entries.size)}`,
    commits: await commitLines(subject.git, ref.before ?? beginning.head.id, ref.after),
    files: linesOf(entries),
  });
  const others = otherThanShown(entries, look.files);
  const flags = [...(await hostFlags(look.looked, name, others)), ...(ref.after === run.head.id ? otherFlags(name, entries, look.files) : [])];
  const shown = worstOf(flags);
  note.flags.push(...shown);
  if (flags.length > shown.length)
    note.flags.push({ kind: "commit", reason: `${name} holds ${String(flags.length - shown.length)} more files of which there is something to say.` });
}

/** Commits of `after` that `before` has not, and how many it is the other way round. */
async function commitLines(git: RunsRepository["subject"]["git"], before: string | null, after: string): Promise<readonly string[]> {
  const not = before === null ? [] : [`^${before}`];
  const [counted, listed, gone] = await Promise.all([
    git(["rev-list", "--count", after, ...not]),
    git(["log", "-z", `--max-count=${String(MAX_SHOWN_COMMITS)}`, "--format=%h %s", after, ...not]),
    before === null ? null : git(["rev-list", "--count", before, `^${after}`]),
  ]);
  const lines = listed.stdout.split("\0").flatMap((line) => (line === "" ? [] : [cut(makeVisibleLine(line))]));
  const more = Number(counted.stdout) - lines.length;
  const lost = Number(gone?.stdout ?? 0);
  return [
    ...lines,
    ...(more > 0 ? [`and ${String(more)} commits more`] : []),
    ...(lost > 0 ? [`${String(lost)} ${lost === 1 ? "commit" : "commits"} less, which it held before`] : []),
  ];
}

function cut(line: string): string {
  return line.length <= MAX_SUBJECT_CHARACTERS ? line : `${line.slice(0, MAX_SUBJECT_CHARACTERS).toWellFormed()}…`;
}

function shortName(ref: string): string {
  return ref.replace(/^refs\/heads\//u, "");
}

/** What lies beside a commit just so has its flags there, and once. */
function otherThanShown(entries: StagedFiles, files: WorkspaceFiles): StagedFiles {
  return new Map([...entries].filter(([bytes, { after }]) => after === null || !files.isShown(textOfPath(bytes), after)));
}

/** The worst, and of every kind the first: what is left out is of kinds that are shown. */
function worstOf(flags: readonly Flag[]): readonly Flag[] {
  const sorted = flags.toSorted(byRank);
  return sorted.filter((flag, at) => at < MAX_FLAGS || sorted.findIndex(({ kind }) => kind === flag.kind) === at);
}

function counted(files: number): string {
  return `${String(files)} ${files === 1 ? "file differs" : "files differ"}`;
}

function linesOf(entries: StagedFiles): readonly string[] {
  const lines = [...entries].slice(0, MAX_SHOWN_FILES).map(([path, { before, after }]) => {
    const status = before === null ? "A" : after === null ? "D" : before.mode.slice(0, 3) === after.mode.slice(0, 3) ? "M" : "T";
    return `${status} ${makeVisibleLine(textOfPath(path))}${before !== null && after !== null && before.mode !== after.mode ? ` (${before.mode} → ${after.mode})` : ""}`;
  });
  return entries.size > MAX_SHOWN_FILES ? [...lines, `and ${String(entries.size - MAX_SHOWN_FILES)} more`] : lines;
}

function shortOf(id: string | null): string {
  return id?.slice(0, 12) ?? "nothing";
}

/** Former versions of commits, which end with the run. */
async function addReplaced(note: Note, { subject, replaced }: RunsRepository): Promise<void> {
  const listed = await subject.git(["log", "--no-walk=unsorted", "--format=%h %s", "--abbrev=12", "--stdin"], {
    input: replaced.map((id) => `${id}\n`).join(""),
  });
  const commits = listed.stdout.split("\n").flatMap((line) => (line === "" ? [] : [makeVisibleLine(line)]));
  note.refs.push({
    summary: `in no ref, as others took their place: ${String(replaced.length)} ${replaced.length === 1 ? "commit" : "commits"}`,
    commits,
    files: [],
  });
}

/** A list of its own, as the next commit holds it whatever the files say. */
async function addStaged(note: Note, staged: StagedFiles, { looked, files }: Look): Promise<void> {
  note.refs.push({ summary: `staged, not committed: ${String(staged.size)} ${staged.size === 1 ? "file" : "files"}`, commits: [], files: linesOf(staged) });
  const flags = [...(await hostFlags(looked, "the index", otherThanShown(staged, files))), ...stagedFlags(staged, files)];
  const shown = worstOf(flags);
  note.flags.push(...shown);
  if (flags.length > shown.length)
    note.flags.push({ kind: "commit", reason: `${String(flags.length - shown.length)} more files are staged of which there is something to say.` });
}
