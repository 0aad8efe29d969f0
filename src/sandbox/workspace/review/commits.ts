import { createHash } from "node:crypto";
import { makeVisibleLine } from "../../../base/text.ts";
import type { Change } from "../../runtime.ts";
import { type ChangedRepository, formatOf, inCheckingRepository, MAX_TEXT_BYTES, type ObjectFormat, type Subject } from "../repository/checking-repository.ts";
import { fill, readBytes, withFile } from "../files/content.ts";
import { contentFlags, type Flag, type FlaggedChange, type RefNote } from "./flags.ts";
import { readIndex } from "../repository/index-file.ts";
import { loggedCommits, logsAmong } from "../repository/logged-commits.ts";
import { type MovedRef, movedRefs, type RefMoves } from "../repository/moved-refs.ts";
import { unitsOf } from "../repository/paths.ts";
import { type DirectoryFd, linkTarget } from "../files/tree.ts";

// Commits can hold other files than the ones beside them: what lands with a ref is what is pushed, checked out and built.

/** More refs than a run moves; what further ones hold is not compared, and they are flagged as that. */
const MAX_REFS = 20;
const MAX_SHOWN_FILES = 50;
const MAX_FLAGS = 20;
const MAX_CONTENTS = 20;
const MAX_CONTENT_BYTES = 4 * 1024 * 1024;
/** Of files that are read to be compared with commits and the index. */
const MAX_COMPARED_BYTES = 512 * 1024 * 1024;

const EMPTY_TREE: Readonly<Record<ObjectFormat, string>> = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};
const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const GITLINK = "160000";

/** The changes again; those that move refs, or stage files, with what the commits and the index hold. */
export async function withCommits(changes: readonly FlaggedChange[], place: Omit<ChangedRepository, "repository">): Promise<readonly FlaggedChange[]> {
  const notes = new Map<string, Note>();
  for (const [repository, unit] of unitsOf(changes)) {
    const found = await notesOf({ ...place, repository }, unit, changes);
    for (const [file, note] of found) notes.set(`${repository}/${file}`, note);
  }
  return changes.map((change) => {
    const note = notes.get(change.path);
    if (note === undefined || note.flags.length + note.refs.length === 0) return change;
    return { ...change, flags: [...change.flags, ...note.flags], ...(note.refs.length === 0 ? {} : { refs: note.refs }) };
  });
}

type Note = { readonly flags: Flag[]; readonly refs: RefNote[] };
type Notes = ReadonlyMap<string, Note>;

async function notesOf(changed: ChangedRepository, unit: readonly Change[], all: readonly Change[]): Promise<Notes> {
  const moves = movedRefs(changed, unit);
  const there = unit.filter((change) => change.kind !== "deleted" && change.type === "file").map((change) => change.path.slice(changed.repository.length + 1));
  const notes = new Map<string, Note>();
  const noteAt = (file: string): Note => {
    const note = notes.get(file) ?? { flags: [], refs: [] };
    notes.set(file, note);
    return note;
  };
  for (const [file, count] of moves.unread)
    noteAt(file).flags.push({ kind: "commit", reason: `${String(count)} refs more may move with it: so many are not looked at.` });
  const logs = logsAmong(there);
  if (moves.moved.length === 0 && logs.length === 0 && !there.includes("index")) return notes;
  const files = workspaceFiles(changed, all);
  const failed = await inCheckingRepository(changed, there, async (subject, added) => {
    const look = { subject, moves, files };
    for (const [at, ref] of moves.moved.entries()) await addRef(noteAt(ref.file), ref, { ...look, isCompared: at < MAX_REFS });
    const logged = await loggedCommits(subject, { files: logs, moves, added });
    for (const [at, ref] of logged.refs.entries()) await addRef(noteAt(ref.file), ref, { ...look, isCompared: at < MAX_REFS });
    if (logged.unread !== null) noteAt(logged.unread).flags.push({ kind: "commit", reason: "It names more commits: so many are not looked at." });
    if (there.includes("index")) await addIndex(noteAt("index"), look);
    return null;
  });
  if (failed === null) return notes;
  const flag = { kind: "commit", reason: `What is committed cannot be shown: ${failed}` };
  for (const { file, name } of moves.moved) noteAt(file).refs.push({ summary: `${makeVisibleLine(name)} moves`, files: [] });
  if (moves.moved.length === 0) for (const file of there.includes("index") ? ["index"] : logs) noteAt(file);
  for (const note of notes.values()) note.flags.push(flag);
  return notes;
}

type Look = { readonly subject: Subject; readonly moves: RefMoves; readonly files: WorkspaceFiles };

async function addRef(note: Note, ref: MovedRef, look: Look & { readonly isCompared: boolean }): Promise<void> {
  const { subject, moves } = look;
  const name = makeVisibleLine(ref.name);
  const summary = `${name}: ${shortOf(ref.before)} → ${shortOf(ref.after)}`;
  const unknown = (why: string): void => {
    note.refs.push({ summary, files: [] });
    note.flags.push({ kind: "commit", reason: `${name} was not compared: ${why}` });
  };
  if (ref.after === null || !ID.test(ref.after)) return void note.refs.push({ summary, files: [] });
  if (!look.isCompared) return unknown(`more than ${String(MAX_REFS)} refs move.`);
  const base = ref.before !== null && ID.test(ref.before) ? ref.before : (moves.head.before ?? EMPTY_TREE[subject.format]);
  const entries = await entriesBetween(subject, base, ref.after);
  if (typeof entries === "string") return unknown(entries);
  const lines = entries.slice(0, MAX_SHOWN_FILES).map(({ status, path }) => `${status} ${makeVisibleLine(path)}`);
  if (entries.length > MAX_SHOWN_FILES) lines.push(`and ${String(entries.length - MAX_SHOWN_FILES)} more`);
  note.refs.push({ summary: `${summary}, ${String(entries.length)} ${entries.length === 1 ? "file differs" : "files differ"}`, files: lines });
  const flags = [...(await hostFlags(subject, name, entries)), ...(ref.after === moves.head.after ? otherFlags(name, entries, look.files) : [])];
  note.flags.push(...flags.slice(0, MAX_FLAGS));
  if (flags.length > MAX_FLAGS)
    note.flags.push({ kind: "commit", reason: `${name} holds ${String(flags.length - MAX_FLAGS)} more files of which there is something to say.` });
}

function shortOf(id: string | null): string {
  return id === null ? "nothing" : ID.test(id) ? id.slice(0, 12) : makeVisibleLine(id);
}

/** A file in which two commits differ; modes and ids are those of git. */
type Entry = { readonly status: string; readonly path: string; readonly oldMode: string; readonly mode: string; readonly oldId: string; readonly id: string };

async function entriesBetween({ git }: Subject, before: string, after: string): Promise<readonly Entry[] | string> {
  const compared = await git(["diff-tree", "-r", "--no-renames", "--raw", "-z", `${before}^{tree}`, `${after}^{tree}`]);
  if (!compared.isDone) return makeVisibleLine(compared.complaint);
  const fields = compared.stdout.split("\0");
  const entries: Entry[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = "", mode = "", oldId = "", id = "", status = ""] = (fields[at] ?? "").slice(1).split(" ");
    entries.push({ status, path: fields[at + 1] ?? "", oldMode, mode, oldId, id });
  }
  return entries;
}

/** The flags that the files would have beside the commit. */
async function hostFlags({ git }: Subject, name: string, entries: readonly Entry[]): Promise<readonly Flag[]> {
  const flags: Flag[] = [];
  let contents = 0;
  const textOf = async (id: string): Promise<string | null> => {
    contents += 1;
    if (/^0+$/.test(id) || contents > MAX_CONTENTS) return null;
    const parts: Buffer[] = [];
    let size = 0;
    const onOutput = (part: Buffer): void => {
      size += part.length;
      if (size <= MAX_CONTENT_BYTES) parts.push(part);
    };
    const read = await git(["cat-file", "blob", id], { onOutput });
    return read.isDone && size <= MAX_CONTENT_BYTES ? Buffer.concat(parts).toString() : null;
  };
  for (const { status, path, oldMode, mode, oldId, id } of entries) {
    if (status === "D") continue;
    const isRead = /(?:^|\/)(?:\.gitattributes|[^/]+\.(?:json[5c]?|yaml))$/iu.test(path);
    const [before, after] = isRead ? [await textOf(oldId), await textOf(id)] : [null, null];
    const found = [...contentFlags(path, { before: () => before, after: () => after, isChanged: oldId !== id })];
    if (mode === "100755" && oldMode !== "100755")
      found.push({ kind: "executable", reason: "It is a new program: whoever starts it runs what the run wrote." });
    for (const flag of found) flags.push({ kind: flag.kind, reason: `${name} holds ${makeVisibleLine(path)}: ${flag.reason}` });
  }
  return flags;
}

/** Where HEAD will name other files than those beside it. */
function otherFlags(name: string, entries: readonly Entry[], files: WorkspaceFiles): readonly Flag[] {
  return entries.flatMap(({ status, path, mode, id }) => {
    if (status === "D" || mode === GITLINK || files.isSame(path, id)) return [];
    return [
      {
        kind: "commit",
        reason: `${name} holds another ${makeVisibleLine(path)} than the workspace will, or git converts it: what is pushed or built is the commit's.`,
      },
    ];
  });
}

/** Entries of the index that name neither what HEAD will hold nor the file. */
async function addIndex(note: Note, { subject, moves, files }: Look): Promise<void> {
  const { layers, repository, format, git } = subject;
  const [before, after] = [layers.lower, layers.upper].map((root) => {
    const bytes = readBytes(root, `${repository}/index`, MAX_TEXT_BYTES);
    return bytes === null ? null : readIndex(Buffer.from(bytes), format === "sha1" ? 20 : 32);
  });
  // What is no index does not land.
  if (after === null || after === undefined || typeof after === "string") return;
  const old = new Map(before === null || before === undefined || typeof before === "string" ? [] : before.entries.map(({ path, id }) => [path, id]));
  const other = after.entries.flatMap(({ path: bytes, mode, id }) => {
    const path = Buffer.from(bytes, "latin1").toString();
    return old.get(bytes) === id || mode.toString(8) === GITLINK || files.isSame(path, id) ? [] : [{ path, id }];
  });
  if (other.length === 0) return;
  const committed = moves.head.after === null ? null : await git(["ls-tree", "-r", "-z", "--full-tree", moves.head.after]);
  const inHead = new Set(committed?.isDone === true ? committed.stdout.split("\0").map((line) => line.replace(/^\d+ blob /u, "")) : []);
  const staged = other.filter(({ path, id }) => !inHead.has(`${id}\t${path}`));
  for (const { path } of staged.slice(0, MAX_FLAGS))
    note.flags.push({
      kind: "commit",
      reason: `${makeVisibleLine(path)} is staged with another content than the file has, or git converts it: the next commit holds that.`,
    });
  if (staged.length > MAX_FLAGS)
    note.flags.push({ kind: "commit", reason: `${String(staged.length - MAX_FLAGS)} more files are staged with another content than they have.` });
}

type WorkspaceFiles = {
  /** Whether the workspace will have just this blob at a path; what is too much to compare is not the same. */ isSame(path: string, id: string): boolean;
};

function workspaceFiles(changed: ChangedRepository, all: readonly Change[]): WorkspaceFiles {
  const { layers, repository } = changed;
  const algorithm = formatOf(changed);
  const top = repository.slice(0, -".git".length);
  const kinds = new Map<string, Change["kind"]>();
  for (const { path, kind } of all) if (kind !== "deleted" || !kinds.has(path)) kinds.set(path, kind);
  let left = MAX_COMPARED_BYTES;
  const hashOf = (root: DirectoryFd, path: string): string | null => {
    const target = linkTarget(root, path);
    const hash = createHash(algorithm);
    if (target !== null) return hash.update(`blob ${String(Buffer.byteLength(target))}\0${target}`).digest("hex");
    return withFile(root, path, (fd, size) => {
      left -= size;
      if (left < 0) return null;
      hash.update(`blob ${String(size)}\0`);
      const buffer = new Uint8Array(256 * 1024);
      for (let length = fill(fd, buffer); length > 0; length = fill(fd, buffer)) hash.update(buffer.subarray(0, length));
      return hash.digest("hex");
    });
  };
  return {
    isSame: (path, id) => {
      // A tree may have any name in it, and only what lands was checked.
      if (path.split("/").some((name) => name === "" || name === "." || name === "..")) return false;
      const kind = kinds.get(top + path);
      if (kind === "deleted") return false;
      return hashOf(kind === undefined || kind === "mode" ? layers.lower : layers.upper, top + path) === id;
    },
  };
}
