import { closeSync, existsSync, readFileSync } from "node:fs";
import { AgentError } from "../../../base/errors.ts";
import type { Change } from "../../runtime.ts";
import { type DirectoryFd, openTree, statEntry } from "../files/tree.ts";
import type { Layers } from "../files/layers.ts";
import { type WorkspaceRecord, workspacePaths } from "../record.ts";
import { type Beginnings, loadBeginnings, OWN_REPOSITORY, removedRefs } from "../repository/beginnings.ts";
import { namesOf } from "../repository/names.ts";
import { writeWhole } from "../files/whole-file.ts";
import { layersOf, type Tree, treesOf } from "../trees.ts";
import { signatureOf } from "../scan/manifest.ts";
import { listChanges, opaqueDirectories } from "./list.ts";

// A repository's own files never land themselves: git moves its refs and index instead. They stay in the run's layer, and are no changes any more until the
// run writes them anew.

const GONE = "gone";

/** What each file of a repository was in the run's layer when the repository landed, by its path. */
type Landed = ReadonlyMap<string, string>;

function readLanded(file: string): Landed {
  return existsSync(file) ? new Map(Object.entries(JSON.parse(readFileSync(file, "utf8")) as Record<string, string>)) : new Map();
}

/** Notes that the repository of these changes landed. */
export function noteLanded(file: string, changes: readonly Change[], upper: DirectoryFd): void {
  const landed = new Map(readLanded(file));
  for (const { path, kind } of changes) landed.set(keyOf(path, kind), signatureAt(upper, path));
  writeLanded(file, landed);
}

function writeLanded(file: string, landed: Landed): void {
  writeWhole(file, JSON.stringify(Object.fromEntries(landed)));
}

/** A repository's landing was taken back: of its files only those count as landed that did before it. `then`: the file of that time. */
export function unnoteLanded(file: string, then: string, isOfRepository: (path: string) => boolean): void {
  const isOther = ([key]: readonly [string, string]): boolean => !isOfRepository(key.slice(key.indexOf(" ") + 1));
  const kept = [...readLanded(file)].filter(isOther);
  const before = [...readLanded(then)].filter((entry) => !isOther(entry));
  writeLanded(file, new Map([...kept, ...before]));
}

/** The changes of a run, those in its own repository outside the workspace with absolute paths; without those that landed with their repository. Throws as `listChanges`. */
export function changesOf(runDirectory: string, record: WorkspaceRecord, maxListBytes?: number): readonly Change[] {
  const beginnings = loadBeginnings(workspacePaths(runDirectory).beginnings);
  return treesOf(runDirectory, record).flatMap((tree) => {
    const { base, repository } = tree;
    const changes = changesIn(tree, { record, beginnings }, maxListBytes);
    return repository === null ? changes : changes.map((change) => ({ ...change, path: `${base}/${change.path}`, repository: repository.path }));
  });
}

type Of = { readonly record: WorkspaceRecord; readonly beginnings: Beginnings };

function changesIn(tree: Tree, { record, beginnings }: Of, maxListBytes?: number): readonly Change[] {
  // Of a repository to which nothing was ever written there is no layer.
  if (tree.repository !== null && !existsSync(tree.rootUpper)) return [];
  const of = layersOf(tree, record);
  const listed = listChanges(of, maxListBytes);
  const landed = readLanded(tree.landed);
  const upper = openTree(tree.upper);
  const lower = openTree(tree.base);
  try {
    const changes = [...listed, ...refsRemovedIn(tree, { record, beginnings }, { layers: { upper, lower, opaque: opaqueDirectories(of) }, listed })];
    return changes.filter(({ path, kind }) => {
      const then = landed.get(keyOf(path, kind));
      return then === undefined || then !== signatureAt(upper, path);
    });
  } finally {
    closeSync(lower);
    closeSync(upper);
  }
}

type Listed = { readonly layers: Layers; readonly listed: readonly Change[] };

function refsRemovedIn({ repository: linked, base }: Tree, { record, beginnings }: Of, { layers, listed }: Listed): readonly Change[] {
  const isOutside = (name: string): boolean => name === OWN_REPOSITORY && record.repository !== undefined;
  const outside = linked === null ? {} : { outside: { linked, base, layers, names: namesOf(linked) } };
  const paths = new Set(listed.map(({ path }) => path));
  const own = [...beginnings.keys()].filter((name) => isOutside(name) === (linked !== null));
  return own.flatMap((repository) => removedRefs({ workspace: record.workspace, layers, repository, ...outside }, beginnings, paths));
}

/** Whether there is nothing to review. What cannot be listed is not nothing. */
export function isUnchanged(runDirectory: string, record: WorkspaceRecord, maxListBytes?: number): boolean {
  try {
    return changesOf(runDirectory, record, maxListBytes).length === 0;
  } catch (error) {
    if (error instanceof AgentError && error.code === "usage") return false;
    throw error;
  }
}

function keyOf(path: string, kind: Change["kind"]): string {
  return kind === "deleted" ? `deleted ${path}` : `there ${path}`;
}

/** A whiteout is a device, and of those no two differ. */
function signatureAt(upper: DirectoryFd, path: string): string {
  const stats = statEntry(upper, path);
  return stats === null || stats.isCharacterDevice() ? GONE : signatureOf(stats);
}
