import { makeVisibleLine } from "../../base/text.ts";
import type { Change } from "../../sandbox/runtime.ts";
import { linkReason } from "../files/symlinks.ts";
import { blobId } from "../../sandbox/workspace/files/content.ts";
import { type DirectoryFd, linkTarget, statEntry } from "../../sandbox/workspace/files/tree.ts";
import { type ChangedRepository, formatOf, topOf } from "../git/checking-repository.ts";
import type { RunsRepository } from "../git/run.ts";
import { type FileEntry, type StagedFiles, textOfPath } from "../../sandbox/workspace/repository/state.ts";
import { flagsByName } from "./flags.ts";
import { type Flag, withFlags } from "./ranks.ts";

// What is to be said of files in commits and in the index, which need not be those that lie in the workspace.

const MAX_CONTENTS = 200;
const MAX_CONTENT_BYTES = 4 * 1024 * 1024;
/** Of files that are read to be compared with commits and the index. */
const MAX_COMPARED_BYTES = 512 * 1024 * 1024;

const GITLINK = "160000";
const SYMLINK = "120000";
const EXECUTABLE = "100755";

/** The flags that the files would have beside the commit. `name`: of what holds them. */
export async function hostFlags({ subject }: RunsRepository, name: string, entries: StagedFiles): Promise<readonly Flag[]> {
  const flags: Flag[] = [];
  let contents = 0;
  const readText = async (file: FileEntry | null): Promise<string | null> => {
    contents += 1;
    return file === null || file.mode === GITLINK || contents > MAX_CONTENTS ? null : textOfBlob(subject.git, file.id);
  };
  for (const [bytes, { before, after }] of entries) {
    if (after === null) continue;
    const path = textOfPath(bytes);
    const isRead = /(?:^|\/)(?:\.gitattributes|[^/]+\.(?:json[5c]?|yaml))$/iu.test(path);
    const [textBefore, textAfter] = isRead ? [await readText(before), await readText(after)] : [null, null];
    const found = flagsByName(path, { before: () => textBefore, after: () => textAfter, isChanged: before?.id !== after.id });
    const more: Flag[] = [];
    if (after.mode === EXECUTABLE && before?.mode !== EXECUTABLE)
      more.push({ kind: "executable", reason: "It is a new program: whoever starts it runs what the run wrote." });
    if (after.mode === GITLINK) more.push({ kind: "commit", reason: `It is a submodule at ${after.id.slice(0, 12)}.` });
    if (after.mode === SYMLINK) more.push(...symlinkFlags(await readText(after), subject, path));
    for (const flag of withFlags(found, more)) flags.push({ kind: flag.kind, reason: `${name} holds ${makeVisibleLine(path)}: ${flag.reason}` });
  }
  return flags;
}

/** Whoever checks the commit out has the link, whatever lies there now. */
function symlinkFlags(target: string | null, changed: ChangedRepository, path: string): readonly Flag[] {
  if (target === null) return [{ kind: "link", reason: "It is a symlink, and was not looked at." }];
  const reason = linkReason(changed.workspace, topOf(changed) + path, target, () => null);
  return reason === null ? [] : [{ kind: "link", reason: `${reason} (${makeVisibleLine(target)})` }];
}

async function textOfBlob(git: RunsRepository["subject"]["git"], id: string): Promise<string | null> {
  const parts: Buffer[] = [];
  let size = 0;
  const onOutput = (part: Buffer): void => {
    size += part.length;
    if (size <= MAX_CONTENT_BYTES) parts.push(part);
  };
  const read = await git(["cat-file", "blob", id], { onOutput });
  return read.isDone && size <= MAX_CONTENT_BYTES ? Buffer.concat(parts).toString() : null;
}

/** Where HEAD will name other files than those beside it. */
export function otherFlags(name: string, entries: StagedFiles, files: WorkspaceFiles): readonly Flag[] {
  return [...entries].flatMap(([bytes, { after }]) => {
    const path = textOfPath(bytes);
    if (after === null || after.mode === GITLINK || files.isSame(path, after)) return [];
    return [
      {
        kind: "commit",
        reason: `${name} holds another ${makeVisibleLine(path)} than the workspace will, or git converts it: what is pushed or built is the commit's.`,
      },
    ];
  });
}

/** Of what is staged: where the next commit takes a file away that is there, or holds another one. */
export function stagedFlags(staged: StagedFiles, files: WorkspaceFiles): readonly Flag[] {
  return [...staged].flatMap(([bytes, { after }]) => {
    const path = textOfPath(bytes);
    const name = makeVisibleLine(path);
    if (after === null) return files.has(path) ? [{ kind: "commit", reason: `${name} is there, and its deletion is staged: the next commit deletes it.` }] : [];
    if (after.mode === GITLINK || files.isSame(path, after)) return [];
    return [{ kind: "commit", reason: `${name} is staged with another content than the file has, or git converts it: the next commit holds that.` }];
  });
}

export type WorkspaceFiles = {
  /** Whether the workspace will have just this blob at a path; what is too much to compare is not the same. */ isSame(path: string, file: FileEntry): boolean;
  /** The same, where it is one of the changes. */ isShown(path: string, file: FileEntry): boolean;
  /** Whether there will be a file. */ has(path: string): boolean;
};

export function workspaceFiles(changed: ChangedRepository, all: readonly Change[]): WorkspaceFiles {
  const { layers } = changed;
  const algorithm = formatOf(changed);
  const top = topOf(changed);
  const kinds = new Map<string, Change["kind"]>();
  for (const { path, kind } of all) if (kind !== "deleted" || !kinds.has(path)) kinds.set(path, kind);
  let left = MAX_COMPARED_BYTES;
  const hashOf = (root: DirectoryFd, path: string): string | null => blobId(root, path, algorithm, (bytes) => (left -= bytes) >= 0);
  const rootOf = (path: string): DirectoryFd | null => {
    // A tree may have any name in it, and only what lands was checked.
    if (path.split("/").some((name) => name === "" || name === "." || name === "..")) return null;
    const kind = kinds.get(top + path);
    return kind === "deleted" ? null : kind === undefined || kind === "mode" ? layers.lower : layers.upper;
  };
  const hashes = new Map<string, string | null>();
  const isSame = (path: string, { mode, id }: FileEntry): boolean => {
    const root = rootOf(path);
    // A link and a file may hold the same bytes.
    if (root === null || !((linkTarget(root, top + path) !== null) === (mode === SYMLINK))) return false;
    const known = hashes.get(path);
    const hash = known === undefined ? hashOf(root, top + path) : known;
    hashes.set(path, hash);
    return hash === id;
  };
  return {
    isSame,
    isShown: (path, file) => kinds.has(top + path) && isSame(path, file),
    has: (path) => {
      const root = rootOf(path);
      return root !== null && statEntry(root, top + path) !== null;
    },
  };
}
