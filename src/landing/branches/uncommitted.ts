import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeVisibleLine } from "../../base/text.ts";
import type { Change } from "../../sandbox/runtime.ts";
import { copyOut, readBytes } from "../../sandbox/workspace/files/content.ts";
import { ancestorsOf, isRemoved } from "../../sandbox/workspace/files/layers.ts";
import { linkTarget, statEntry } from "../../sandbox/workspace/files/tree.ts";
import { filesOf, placeOf } from "../../sandbox/workspace/repository/placed.ts";
import type { OpenedRun } from "../git/run.ts";
import { isSameEntry, type StagedFiles, textOfPath } from "../../sandbox/workspace/repository/state.ts";

// What a run left uncommitted becomes a tree, without a worktree: git reads copies of its files.

type Refused = { readonly change: Change; readonly reason: string };
export type WrittenTree = { readonly tree: string; readonly committed: readonly Change[]; readonly refused: readonly Refused[] };

type Work = {
  readonly opened: OpenedRun;
  /** The commit that the tree begins from; null: none. */ readonly head: string | null;
  readonly changes: readonly Change[];
  /** What the run's index says otherwise than that commit. */ readonly staged: StagedFiles;
  /** Paths of the workspace that were not in the run's view. */ readonly hidden: readonly string[];
  readonly reasonAgainst: (change: Change) => string | null;
};

const GITLINK = "160000";
const MAX_IGNORE_BYTES = 1024 * 1024;
const OTHER_REPOSITORY = "It lies in another repository.";

/** The tree of a commit with these changes made; or why there is none. */
export async function writeTree({ opened, head, changes, staged, hidden, reasonAgainst }: Work): Promise<WrittenTree | string> {
  const { git } = opened.subject;
  const read = await git(head === null ? ["read-tree", "--empty"] : ["read-tree", head]);
  const listed = read.isDone ? await git(["ls-files", "--stage", "-z"], { encoding: "latin1" }) : read;
  if (!listed.isDone) return `git cannot read the commit: ${makeVisibleLine(listed.complaint)}`;
  const tracked = new Map(listed.stdout.split("\0").map((line) => [line.slice(line.indexOf("\t") + 1), line.slice(0, 6)]));
  const refused: Refused[] = [];
  const chosen: Change[] = [];
  const files = changes.filter(({ type, kind }) => type !== "directory" || kind === "deleted");
  const ignored = await ignoredAmong(
    opened,
    files.filter((change) => change.kind !== "deleted" && !tracked.has(bytesOf(change.path))).map(({ path }) => path),
  );
  if (typeof ignored === "string") return ignored;
  for (const change of files) {
    const reason = isElsewhere(change.path, opened, tracked)
      ? OTHER_REPOSITORY
      : (reasonAgainst(change) ?? (ignored.has(change.path) ? "The repository ignores it (.gitignore)." : null));
    if (reason === null) chosen.push(change);
    else refused.push({ change, reason });
  }
  const beside = await stagedBeside({ opened, changes: files, staged, hidden, reasonAgainst });
  const entries = await entriesOf(opened, chosen, tracked);
  if (typeof entries === "string") return entries;
  const gone = goneOnBothSides(opened, files, tracked);
  const updated = await git(["update-index", "-z", "--index-info"], { input: Buffer.from([...beside, ...gone, ...entries].join(""), "latin1") });
  const tree = updated.isDone ? await git(["write-tree"]) : updated;
  return tree.isDone
    ? { tree: tree.stdout.trim(), committed: chosen, refused }
    : `git cannot store what was left uncommitted: ${makeVisibleLine(tree.complaint)}`;
}

/**
 * Lines for git's index: what the run staged of files that it did not change on the disk, as after `git reset --soft`. What somebody had staged before is
 * not its own.
 */
async function stagedBeside({ opened, changes, staged, hidden, reasonAgainst }: Omit<Work, "head">): Promise<readonly string[]> {
  const { beginning, subject } = opened;
  const written = new Set(changes.map(({ path }) => bytesOf(path)));
  const isTheirs = (path: string): boolean => {
    const [was, is] = [beginning.staged.get(path), staged.get(path)];
    return was !== undefined && is !== undefined && isSameEntry(was.before, is.before) && isSameEntry(was.after, is.after);
  };
  const isHidden = (path: string): boolean => hidden.some((name) => path === name || path.startsWith(`${name}/`));
  const own = [...staged].filter(([bytes, { before, after }]) => {
    const change: Change = {
      path: textOfPath(bytes),
      kind: after === null ? "deleted" : before === null ? "added" : "modified",
      type: "file",
      size: 0,
      mode: 0o644,
    };
    return !written.has(bytes) && !isTheirs(bytes) && !isHidden(change.path) && reasonAgainst(change) === null;
  });
  const zero = "0".repeat(subject.format === "sha1" ? 40 : 64);
  const ids = own.flatMap(([, { after }]) => (after === null || after.mode === GITLINK ? [] : [after.id]));
  const there = await subject.git(["cat-file", "--batch-check=%(objecttype) %(objectname)"], { input: ids.map((id) => `${id}\n`).join("") });
  const blobs = new Set(there.stdout.split("\n").flatMap((line) => /^blob ([0-9a-f]+)$/u.exec(line)?.[1] ?? []));
  const isThere = (id: string, mode: string): boolean => mode === GITLINK || blobs.has(id);
  return own
    .toSorted(([, one], [, other]) => Number(one.after !== null) - Number(other.after !== null))
    .flatMap(([path, { after }]) => {
      if (after === null) return [`0 ${zero}\t${path}\0`];
      return isThere(after.id, after.mode) ? [`${after.mode} ${after.id}\t${path}\0`] : [];
    });
}

/** What the run deleted and somebody else did, too, is no change any more; the branch begins where it was there. */
function goneOnBothSides({ subject: { layers, format } }: OpenedRun, changes: readonly Change[], tracked: ReadonlyMap<string, string>): readonly string[] {
  const written = new Set(changes.map(({ path }) => bytesOf(path)));
  const gone = [...tracked.keys()].filter((bytes) => {
    const path = textOfPath(bytes);
    return bytes !== "" && tracked.get(bytes) !== GITLINK && !written.has(bytes) && statEntry(layers.lower, path) === null && isRemoved(layers, path);
  });
  return gone.map((path) => `0 ${"0".repeat(format === "sha1" ? 40 : 64)}\t${path}\0`);
}

/** Below a submodule, or a repository of its own. */
function isElsewhere(path: string, { beginnings, subject }: OpenedRun, tracked: ReadonlyMap<string, string>): boolean {
  for (let end = path.indexOf("/"); end > 0; end = path.indexOf("/", end + 1)) {
    const above = path.slice(0, end);
    const repository = `${above}/.git`;
    if (tracked.get(bytesOf(above)) === GITLINK || (repository !== subject.repository && beginnings.has(repository))) return true;
  }
  return tracked.get(bytesOf(path)) === GITLINK;
}

/** Lines for git's index: what goes first, as a file may take the place of a directory. */
async function entriesOf(opened: OpenedRun, changes: readonly Change[], tracked: ReadonlyMap<string, string>): Promise<readonly string[] | string> {
  const { git, scratch, layers, format } = opened.subject;
  const zero = "0".repeat(format === "sha1" ? 40 : 64);
  const gone = changes.filter(({ kind }) => kind === "deleted").map(({ path }) => `0 ${zero}\t${bytesOf(path)}\0`);
  const there = changes.filter(({ kind }) => kind !== "deleted");
  const directory = join(scratch, "files");
  mkdirSync(directory);
  const copies: string[] = [];
  for (const [at, { path, type }] of there.entries()) {
    const copy = join(directory, String(at));
    const target = type === "link" ? linkTarget(layers.upper, path) : null;
    if (target !== null) writeFileSync(copy, target, { flag: "wx" });
    else if (!copyFile(opened, path, copy)) return `${makeVisibleLine(path)} is not there any more.`;
    copies.push(copy);
  }
  const hashed = await git(["hash-object", "-w", "--no-filters", "--stdin-paths"], { input: copies.map((copy) => `${copy}\n`).join("") });
  if (!hashed.isDone) return `git cannot store a file: ${makeVisibleLine(hashed.complaint)}`;
  const ids = hashed.stdout.split("\n");
  const kept = there.map(({ path, type, mode }, at) => {
    const fileMode = type === "link" ? "120000" : (mode & 0o100) === 0 ? "100644" : "100755";
    return `${fileMode} ${ids[at] ?? zero}\t${bytesOf(path)}\0`;
  });
  // Where a directory took the place of a file, the file is no change of its own.
  const replaced = [...new Set(there.flatMap(({ path }) => ancestorsOf(path)))].filter((above) => tracked.has(bytesOf(above)));
  return [...replaced.map((path) => `0 ${zero}\t${bytesOf(path)}\0`), ...gone, ...kept];
}

function copyFile({ subject: { layers } }: OpenedRun, path: string, copy: string): boolean {
  return copyOut(layers.upper, path, copy) || copyOut(layers.lower, path, copy);
}

/** Of paths that no commit has: those that the rules of the run's view ignore, and the person's own in `info/exclude`. */
async function ignoredAmong({ subject }: OpenedRun, paths: readonly string[]): Promise<ReadonlySet<string> | string> {
  if (paths.length === 0) return new Set();
  const { git, scratch, layers } = subject;
  const top = join(scratch, "rules");
  mkdirSync(top);
  for (const above of new Set(["", ...paths.flatMap(ancestorsOf)])) {
    const file = above === "" ? ".gitignore" : `${above}/.gitignore`;
    const rules = readBytes(layers.upper, file, MAX_IGNORE_BYTES) ?? readBytes(layers.lower, file, MAX_IGNORE_BYTES);
    if (rules === null) continue;
    mkdirSync(dirname(join(top, file)), { recursive: true });
    writeFileSync(join(top, file), rules, { flag: "wx" });
  }
  const own = readBytes(filesOf(subject).lower, placeOf(subject, "info/exclude"), MAX_IGNORE_BYTES);
  if (own !== null) {
    mkdirSync(join(scratch, "info"), { recursive: true });
    writeFileSync(join(scratch, "info/exclude"), own);
  }
  const found = await git([`--work-tree=${top}`, "check-ignore", "--no-index", "--stdin", "-z"], { input: paths.map((path) => `${path}\0`).join("") });
  if (!found.isDone && found.complaint !== "") return `git cannot read what the repository ignores: ${makeVisibleLine(found.complaint)}`;
  return new Set(found.stdout.split("\0").filter((path) => path !== ""));
}

/** As git's index has it: each character a byte. */
function bytesOf(path: string): string {
  return Buffer.from(path).toString("latin1");
}
