import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Change, LinkedRepository } from "../../runtime.ts";
import { isRemoved } from "../files/layers.ts";
import { type DirectoryFd, statEntry } from "../files/tree.ts";
import { writeWhole } from "../files/whole-file.ts";
import { gitDirectoryOf } from "../scan/linked-repository.ts";
import { fileOf, filesOf, type Placed, placeOf, textOf } from "./placed.ts";
import { checkingGit } from "./git.ts";
import { isHeadOfRepository } from "./paths.ts";
import { type FileEntry, type Head, type Known, readState, type RepositoryState, type Staged } from "./state.ts";

// What each repository of a workspace was when the session began. Landing moves a ref only from what it was then.

/** By paths of `.git` in the workspace, and of repositories of submodules in those; a text says why it could not be read. */
export type Beginnings = ReadonlyMap<string, RepositoryState | string>;

/** More than a workspace has. Further ones land nothing. */
const MAX_REPOSITORIES = 200;
const READ_AT_ONCE = 4;

/** What the repository of the workspace is called, wherever it lies. */
export const OWN_REPOSITORY = ".git";

/** Git's own directory of a repository of the workspace. */
export function directoryNamed(
  { workspace, linked }: { readonly workspace: string; readonly linked: LinkedRepository | undefined },
  repository: string,
): string {
  return repository === OWN_REPOSITORY && linked !== undefined ? gitDirectoryOf(linked) : join(workspace, repository);
}

/** Reads the repositories of a workspace among its paths, which are relative to it, and its own where that lies outside. */
export async function readBeginnings(workspace: string, paths: Iterable<string>, linked?: LinkedRepository): Promise<Beginnings> {
  const repositories = [...paths].filter(isHeadOfRepository).map((path) => path.slice(0, -"/HEAD".length));
  const found = new Map<string, RepositoryState | string>();
  if (linked !== undefined) found.set(OWN_REPOSITORY, await readRepository(gitDirectoryOf(linked)));
  const pending = repositories.slice(0, MAX_REPOSITORIES).toReversed();
  const work = async (): Promise<void> => {
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) found.set(next, await readRepository(join(workspace, next)));
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, work));
  return found;
}

/** A repository of the person's, its hooks and helpers left out. */
export async function readRepository(directory: string, known: Known = {}): Promise<RepositoryState | string> {
  try {
    const state = await readState(checkingGit(directory), known);
    return typeof state === "string" ? state : { ...state, ...filesOfRefs(commonDirectoryOf(directory)) };
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" || syscall !== "spawn prlimit") throw error;
    return "There is no prlimit on this machine to read it within limits: install util-linux.";
  }
}

/** The files in which its refs lie, as far as git does not tell. */
export function filesOfRefs(directory: string): Pick<RepositoryState, "loose" | "tables"> {
  const tables = tablesIn(join(directory, TABLES));
  return tables === null ? { loose: looseRefs(directory) } : { loose: [], tables };
}

const TABLES = "reftable";

/** Another git may put one in the place of others meanwhile. */
function tablesIn(directory: string, tries = 10): Readonly<Record<string, string>> | null {
  if (!existsSync(join(directory, "tables.list"))) return null;
  const names = readdirSync(directory, { withFileTypes: true }).flatMap((entry) => (entry.isFile() && !entry.name.endsWith(".lock") ? [entry.name] : []));
  try {
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(directory, name), "base64")]));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || tries === 0) throw error;
    return tablesIn(directory, tries - 1);
  }
}

export function writeTables(directory: string, tables: Readonly<Record<string, string>>): void {
  mkdirSync(join(directory, TABLES));
  for (const [name, content] of Object.entries(tables)) writeFileSync(join(directory, TABLES, name), Buffer.from(content, "base64"));
}

/** Refs that have a file of their own, and not only a line in the list of packed ones. */
function looseRefs(directory: string): readonly string[] {
  const top = join(directory, "refs");
  if (!existsSync(top)) return [];
  const files = readdirSync(top, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && !entry.name.endsWith(".lock"));
  return files.map((entry) => `refs${join(entry.parentPath, entry.name).slice(top.length)}`);
}

/** What all worktrees share lies there (gitrepository-layout(5)). */
function commonDirectoryOf(directory: string): string {
  const file = join(directory, "commondir");
  return existsSync(file) ? resolve(directory, readFileSync(file, "utf8").trim()) : directory;
}

type Written = Readonly<Record<string, string | WrittenState>>;
type WrittenState = {
  readonly head: Head;
  readonly refs: readonly (readonly [string, string])[];
  readonly tree: string;
  readonly staged: readonly (readonly [string, FileEntry | null, FileEntry | null])[];
  readonly loose?: readonly string[];
  readonly tables?: Readonly<Record<string, string>>;
};

/** Writes them whole or not at all. */
export function writeBeginnings(file: string, beginnings: Beginnings): void {
  const written: Written = Object.fromEntries(
    [...beginnings].map(([path, state]) => [
      path,
      typeof state === "string"
        ? state
        : { ...state, refs: [...state.refs], staged: [...state.staged].map(([name, { before, after }]) => [name, before, after] as const) },
    ]),
  );
  writeWhole(file, JSON.stringify(written));
}

/** None of a run of an older Warder: nothing of its repositories lands. */
export function loadBeginnings(file: string): Beginnings {
  if (!existsSync(file)) return new Map();
  const written = JSON.parse(readFileSync(file, "utf8")) as Written;
  return new Map(Object.entries(written).map(([path, state]) => [path, typeof state === "string" ? state : stateOf(state)]));
}

function stateOf(written: WrittenState): RepositoryState {
  const staged = new Map<string, Staged>(written.staged.map(([name, before, after]) => [name, { before, after }]));
  return { ...written, refs: new Map(written.refs), staged };
}

// Git packs refs into one list, and removes their files (git-pack-refs(1)). Where the person's git does it while a run works, files alone do not say what
// became of a ref: one that the run removed is there no more on both sides, and only the run removed the ref.

/** Ids by the names of refs, as the list of one layer says; nothing where there is none. */
export function packedRefs(layer: DirectoryFd, of: Pick<Placed, "repository" | "outside">): ReadonlyMap<string, string> {
  const text = textOf(layer, placeOf(of, "packed-refs")) ?? "";
  return new Map([...text.matchAll(/^([0-9a-f]+) (refs\/.+)$/gmu)].map(([, id = "", name = ""]) => [name, id]));
}

/** Files of refs of when the session began that the run removed, as changes, wherever the person's are by now. */
export function removedFiles(of: Placed, beginnings: Beginnings): readonly Change[] {
  const state = beginnings.get(of.repository);
  const layers = filesOf(of);
  if (state === undefined || typeof state === "string" || statEntry(layers.upper, placeOf(of, "refs")) === null) return [];
  const paths = (state.loose ?? []).map((name) => placeOf(of, name)).filter((path) => isRemoved(layers, path));
  return paths.map((path) => ({ path, kind: "deleted", type: "file", size: 0, mode: 0o644 }));
}

/** Those of them that are gone here, too, while the ref is not. `listed`: paths that are changes already. */
export function removedRefs(of: Placed, beginnings: Beginnings, listed: ReadonlySet<string>): readonly Change[] {
  const { upper, lower } = filesOf(of);
  const gone = removedFiles(of, beginnings).filter(({ path }) => !listed.has(path) && statEntry(lower, path) === null);
  if (gone.length === 0) return [];
  const [inRun, here] = [packedRefs(upper, of), packedRefs(lower, of)];
  return gone.filter(({ path }) => here.has(fileOf(of, path)) && !inRun.has(fileOf(of, path)));
}
