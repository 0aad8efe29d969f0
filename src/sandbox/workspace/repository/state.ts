import { makeVisibleLine } from "../../../base/text.ts";
import type { CheckingGit } from "./git.ts";

// What a repository says, as git reads it: where HEAD stands, what each ref names, and what is staged.

/** A file of a tree or of the index, with git's modes and ids. */
export type FileEntry = { readonly mode: string; readonly id: string };

/** What the index says of a path where that is something else than a tree does. Null: there is no such file. */
export type Staged = { readonly before: FileEntry | null; readonly after: FileEntry | null };

/** By paths whose characters stand for a byte each. */
export type StagedFiles = ReadonlyMap<string, Staged>;

export type Head = {
  /** The branch that it names; null: it names a commit itself. */ readonly ref: string | null;
  /** Null: there is no commit yet. */ readonly id: string | null;
};

export type RepositoryState = {
  readonly head: Head;
  /** Ids, or for a name of another ref `ref: NAME`. */
  readonly refs: ReadonlyMap<string, string>;
  /** The tree that the staged files are compared with. */
  readonly tree: string;
  readonly staged: StagedFiles;
  /** Names of refs that have a file of their own; unknown of a run of an older Warder. */
  readonly loose?: readonly string[];
  /** Where refs lie in tables: those files, in base64, by their names. git replaces them by others as it likes. */
  readonly tables?: Readonly<Record<string, string>>;
};

/** More than anybody has; each is kept in memory. */
const MAX_REFS = 200_000;

/** What is known of it without git: the tree that the index is compared with, otherwise that of HEAD; what is staged, otherwise what the index says. */
export type Known = { readonly tree?: string; readonly staged?: StagedFiles };

/**
 * Reads a repository. Returns a text that says why when that
 * cannot be done, or when the index has conflicts.
 */
export async function readState(git: CheckingGit, { tree, staged: known }: Known = {}): Promise<RepositoryState | string> {
  const [pointed, listed] = await Promise.all([readHead(git), git(["for-each-ref", "--format=%(objectname) %(refname) %(symref)"])]);
  if (!listed.isDone) return `git cannot read the refs: ${makeVisibleLine(listed.complaint)}`;
  const { head } = pointed;
  if (head.ref === null && head.id === null) return "git cannot read HEAD.";
  const refs = new Map<string, string>();
  for (const line of listed.stdout.split("\n")) {
    const [id = "", name = "", target = ""] = line.split(" ");
    if (name !== "") refs.set(name, target === "" ? id : `ref: ${target}`);
  }
  if (refs.size > MAX_REFS) return `It has more than ${String(MAX_REFS)} refs.`;
  const base = tree ?? pointed.tree ?? (await treeOf(git, head.id));
  if (base === null) return "git cannot read the commit that HEAD names.";
  if (known !== undefined) return { head, refs, tree: base, staged: known };
  const files = await git(["diff-index", "--cached", "--raw", "-z", "--no-renames", base], { encoding: "latin1" });
  if (!files.isDone) return `git cannot read the index: ${makeVisibleLine(files.complaint)}`;
  const staged = readRaw(files.stdout);
  return staged === null ? "The index has conflicts: a merge is not finished." : { head, refs, tree: base, staged };
}

const POINTED = /^(?<id>[0-9a-f]{40,64})\n(?<tree>[0-9a-f]{40,64})\n(?<ref>HEAD|refs\/.+)\n$/u;

/** One question where there is a commit and all of it can be read; else what can be told of each part. `tree` is null where it was not asked for. */
async function readHead(git: CheckingGit): Promise<{ readonly head: Head; readonly tree: string | null }> {
  const said = await git(["rev-parse", "HEAD^{commit}", "HEAD^{tree}", "--symbolic-full-name", "HEAD"]);
  const { id, tree, ref } = (said.isDone ? POINTED.exec(said.stdout)?.groups : undefined) ?? {};
  if (id !== undefined && tree !== undefined && ref !== undefined) return { head: { ref: ref === "HEAD" ? null : ref, id }, tree };
  const [symbolic, commit] = await Promise.all([git(["symbolic-ref", "-q", "HEAD"]), git(["rev-parse", "-q", "--verify", "HEAD^{commit}"])]);
  return { head: { ref: symbolic.isDone ? symbolic.stdout.trim() : null, id: commit.isDone ? commit.stdout.trim() : null }, tree: null };
}

/** Of no commit: the empty tree. */
export async function treeOf(git: CheckingGit, commit: string | null): Promise<string | null> {
  const found = await git(commit === null ? ["hash-object", "-t", "tree", "--stdin"] : ["rev-parse", "-q", "--verify", `${commit}^{tree}`]);
  return found.isDone ? found.stdout.trim() : null;
}

/** Files in which two trees differ; or why that cannot be told. */
export async function filesBetween(git: CheckingGit, before: string, after: string): Promise<StagedFiles | string> {
  const compared = await git(["diff-tree", "-r", "--no-renames", "--raw", "-z", before, after], { encoding: "latin1" });
  return compared.isDone ? (readRaw(compared.stdout) ?? "A tree has conflicts.") : makeVisibleLine(compared.complaint);
}

/** What git prints with `--raw -z`; null where a path is unmerged. */
function readRaw(output: string): StagedFiles | null {
  const files = new Map<string, Staged>();
  const fields = output.split("\0");
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [beforeMode = "", mode = "", beforeId = "", id = "", status = ""] = (fields[at] ?? "").slice(1).split(" ");
    if (status.startsWith("U")) return null;
    files.set(fields[at + 1] ?? "", { before: entryOf(beforeMode, beforeId), after: entryOf(mode, id) });
  }
  return files;
}

function entryOf(mode: string, id: string): FileEntry | null {
  return mode === "000000" ? null : { mode, id };
}

export function isSameEntry(one: FileEntry | null, other: FileEntry | null): boolean {
  return one?.mode === other?.mode && one?.id === other?.id;
}

/** A path of the index for a person, or for the file system. */
export function textOfPath(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString();
}
