import { lstatSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../base/digest.ts";
import { HANDED_LIMITS } from "../../gate/kept/handed.ts";
import type { Change, Session } from "../../sandbox/runtime.ts";
import { smallFile } from "../../sandbox/workspace/files/small-file.ts";
import { layerChanges, layerLink } from "../../sandbox/turns/branch.ts";
import type { HandedChange } from "../../tools/contract/tool.ts";

/** An overlay of a sub-agent's own, by the directory that its layer lies in, and the sandbox that shows it. */
type Overlay = { readonly directory: string; readonly workspace: string; readonly session: Session };

/**
 * What the overlay showed at first that does not lie in the workspace itself, because its parent had changed it. `files`: sha256 of each, by its path below the
 * workspace; null: it was not there. `marks`: what else there was to say of each change.
 */
export type Begun = { readonly files: readonly (readonly [string, string | null])[]; readonly marks: readonly (readonly [string, string])[] };

export async function beginningOf({ directory, workspace, session }: Overlay): Promise<Begun> {
  const changes = layerChanges(directory);
  const paths = filesIn(changes).map(({ path }) => path);
  const hashes = await session.hash(paths.map((path) => join(workspace, path)));
  return {
    files: paths.map((path, index) => [path, hashes[index] ?? null] as const),
    marks: changes.map((change) => [change.path, markOf(change, directory)] as const),
  };
}

/** What the sub-agent itself changed. `keep`: the content of a file that can be merged, by its absolute path. */
export async function collectChanges(overlay: Overlay, begun: Begun, keep: (path: string, content: Uint8Array) => void): Promise<readonly HandedChange[]> {
  const { directory, workspace, session } = overlay;
  const changes = layerChanges(directory);
  const marks = new Map(begun.marks);
  const now = new Map(changes.map((change) => [change.path, change]));
  const own = new Map(changes.filter((change) => marks.get(change.path) !== markOf(change, directory)).map((change) => [change.path, change]));
  const files = new Map(begun.files);
  const paths = [...new Set([...filesIn(changes).map(({ path }) => path), ...files.keys()])].toSorted();
  const hashes = await session.hash(paths.map((path) => join(workspace, path)));
  const handed: HandedChange[] = [];
  let bytes = 0;
  for (const [index, path] of paths.entries()) {
    const change = own.get(path);
    const here = join(workspace, path);
    if (isOdd(change)) handed.push(oddChange(change, overlay));
    if (isOdd(now.get(path))) continue;
    const after = hashes[index] ?? null;
    const before = files.has(path) ? (files.get(path) ?? null) : hashOnMachine(here);
    const isExecutable = isExecutableMode(now.get(path)?.mode ?? 0);
    if (after === before && (after === null || change === undefined || (change.kind !== "mode" && !marks.has(path)))) continue;
    const isContent = after !== null && after !== before;
    const content = isContent ? await session.bytes(here, HANDED_LIMITS.fileBytes) : null;
    const kind = after === null ? "deleted" : after === before ? "mode" : before === null ? "added" : "modified";
    const isMerged = after === null || isExecutable !== wasExecutable(marks.get(path), here);
    const obstacle = isContent
      ? contentObstacle({ after, content, bytes, files: handed.length })
      : isMerged
        ? null
        : "its mode alone changed, and not whether it can be executed";
    if (obstacle === null && content !== null) {
      bytes += content.length;
      keep(here, content);
    }
    handed.push({ path: here, kind, size: content?.length ?? change?.size ?? 0, before, after, isExecutable, obstacle });
  }
  return [...handed, ...directoriesOf(own, workspace), ...repositoriesOf(own, workspace)];
}

/** What is part of a repository is not carried from one overlay to another. */
const filesIn = (changes: readonly Change[]): readonly Change[] => changes.filter(({ path, type }) => type !== "directory" && !isOfRepository(path));
const isOfRepository = (path: string): boolean => path.split("/").includes(".git");

/** Whatever differs where the change is another one, but for what a file holds. */
function markOf(change: Change, directory: string): string {
  const { kind, type, size, mode, path } = change;
  const target = type === "link" && kind !== "deleted" ? layerLink(directory, path) : null;
  return JSON.stringify([kind, type, isOfRepository(path) ? size : 0, mode, target]);
}

const isExecutableMode = (mode: number): boolean => (mode & 0o100) !== 0;

/** Before the sub-agent began: as its parent had left it, or as it lies in the workspace itself. */
function wasExecutable(mark: string | undefined, path: string): boolean {
  if (mark !== undefined) return isExecutableMode(Number((JSON.parse(mark) as readonly unknown[])[3]));
  return isExecutableMode(lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0);
}

/** Something else than a file stands there now, or stood there. */
const isOdd = (change: Change | undefined): change is Change => change !== undefined && change.type !== "file";

function oddChange({ path, kind, type, size }: Change, { directory, workspace }: Overlay): HandedChange {
  const target = type === "link" && kind !== "deleted" ? layerLink(directory, path) : null;
  const obstacle =
    type !== "link"
      ? "no regular file"
      : kind === "deleted"
        ? "a deleted link is not merged: delete it with a command"
        : target === null
          ? "it cannot be read"
          : null;
  const told = kind === "mode" ? "modified" : kind;
  return { path: join(workspace, path), kind: told, size, before: null, after: null, isExecutable: false, ...(target !== null && { link: target }), obstacle };
}

type Candidate = { readonly after: string; readonly content: Buffer | null; readonly bytes: number; readonly files: number };

function contentObstacle({ after, content, bytes, files }: Candidate): string | null {
  if (files >= HANDED_LIMITS.files) return `more than ${HANDED_LIMITS.files.toLocaleString("en")} files`;
  if (content === null) return "larger than 10 MiB";
  if (sha256(content) !== after) return "it changed as it was read";
  return bytes + content.length > HANDED_LIMITS.bytes ? "all together are more than 64 MiB" : null;
}

/** The innermost first: each can be removed once those within are gone. */
function directoriesOf(own: ReadonlyMap<string, Change>, workspace: string): readonly HandedChange[] {
  return [...own.values()]
    .filter(({ path, kind, type }) => type === "directory" && kind === "deleted" && !isOfRepository(path))
    .toReversed()
    .map(({ path }) => ({ ...NO_FILE, path: join(workspace, path), kind: "deleted", isDirectory: true, obstacle: null }));
}

/** Of repositories it is said alone that they changed. */
function repositoriesOf(own: ReadonlyMap<string, Change>, workspace: string): readonly HandedChange[] {
  const found = new Set([...own.keys()].flatMap((path) => (isOfRepository(path) ? [path.slice(0, `/${path}/`.indexOf("/.git/") + ".git".length)] : [])));
  const obstacle = "commits and other changes of a repository are not merged: take the files, and commit here";
  return [...found].map((path) => ({ ...NO_FILE, path: join(workspace, path), kind: "modified", obstacle }));
}

const NO_FILE = { size: 0, before: null, after: null, isExecutable: false } as const;

/** What both overlays show as long as neither changed it. */
function hashOnMachine(path: string): string | null {
  const file = smallFile(path, HANDED_LIMITS.fileBytes);
  return file === null ? null : sha256(file.content);
}
