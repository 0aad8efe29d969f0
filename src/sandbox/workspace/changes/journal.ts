import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { newId } from "../../../base/ids.ts";
import { guarded } from "../../../store/files/fault.ts";
import type { Change } from "../../runtime.ts";
import { type DirectoryFd, linkTarget } from "../files/tree.ts";
import { writeWhole } from "../files/whole-file.ts";
import { removeTree } from "../mounts/directories.ts";
import type { HeldLock, NoteLanding, NoteLocks, RepositoryLanding } from "../repository/noted.ts";
import { type Manifest, signatureOf } from "../scan/manifest.ts";

// Landing ends at any moment: kill -9, a full disk. Each path is the workspace's or the run's by then, and the manifest does not say which.
// The journal says of each path what stood there before it is touched, so that what landed is no conflict when landing goes on, and can be taken back when
// it is over. It outlives processes; a power cut may take its end, and then a path that landed is reported as a conflict.

/** What stood at a path. Null: nothing. */
export type Before = {
  readonly type: Change["type"];
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly signature: string;
  /** Of a file that goes: its SHA-256. */ readonly digest?: string;
  /** Of a link: its text. */ readonly target?: string;
} | null;

export type Begun = {
  readonly kind: "begun";
  readonly what: "landing" | "branch" | "discard";
  readonly atMs: number;
  /** Which layers it was done with. */ readonly layers: string;
};

type Entry =
  | Begun
  | { readonly kind: "path"; readonly path: string; readonly before: Before }
  | ({ readonly kind: "repository" } & RepositoryLanding)
  /** With the signature that each path has now. */
  | { readonly kind: "ended"; readonly after: readonly (readonly [string, string | null])[] }
  | { readonly kind: "locks"; readonly locks: readonly HeldLock[] }
  | { readonly kind: "undoing" }
  | { readonly kind: "undone"; readonly paths: readonly string[]; readonly repositories: readonly string[] };

export type Journal = {
  readonly directory: string;
  /** Where what is replaced is kept; null: nowhere. */ readonly kept: string | null;
  /** Paths that an interrupted landing, or undo, noted. */ readonly begun: readonly string[];
  /** Notes paths down before they are touched. Throws the system's error. */
  note(paths: readonly { readonly path: string; readonly before: Before }[]): void;
  /** The same of a repository. Throws `store-unavailable`. */
  readonly noteRepository: NoteLanding;
  /** Locks that git holds now. Throws `store-unavailable`. */
  readonly noteLocks: NoteLocks;
};

/** For what is only looked at. */
export const UNNOTED: Pick<Journal, "noteRepository" | "noteLocks"> = { noteRepository: () => undefined, noteLocks: () => undefined };

/** What a journal says so far. */
export type Written = Begun & {
  readonly directory: string;
  readonly paths: ReadonlyMap<string, Before>;
  readonly repositories: readonly RepositoryLanding[];
  /** Null: it was interrupted. */ readonly after: ReadonlyMap<string, string | null> | null;
  readonly isUndoing: boolean;
  readonly locks: readonly HeldLock[];
};

/** The file of a journal, and where what it replaced is. */
export function journalPaths(directory: string): { readonly file: string; readonly kept: string } {
  return { file: join(directory, "journal"), kept: join(directory, "files") };
}

export type JournalPlace = {
  /** The directory of all journals. */ readonly undo: string;
  /** Files that say what repositories were to the run; each is written anew and renamed. */ readonly states: readonly string[];
};

/** Opens the next journal of a run; one of the same kind that was interrupted grows. Throws `store-unavailable`, and then there is no new one. */
export function openJournal({ undo: below, states }: JournalPlace, begun: Omit<Begun, "kind">): Journal & { close(): void } {
  const journals = readJournals(below);
  const interrupted = journals.findLast(({ after, what, layers }) => after === null && what === begun.what && layers === begun.layers) ?? null;
  const directory = interrupted?.directory ?? join(below, String(Math.max(0, ...numbersIn(below)) + 1));
  const { file, kept } = journalPaths(directory);
  const fd = guarded("store-unavailable", `The journal ${file} cannot be opened`, () => {
    try {
      mkdirSync(kept, { recursive: true, mode: 0o700 });
      if (interrupted === null) appendEntries(file, [{ kind: "begun", ...begun }]);
      return openSync(file, "a", 0o600);
    } catch (error) {
      if (interrupted === null) removeTree(directory);
      throw error;
    }
  });
  const write = (...entries: readonly Entry[]): void => {
    writeEntries(fd, entries);
  };
  return {
    directory,
    kept,
    begun: [...(interrupted?.paths.keys() ?? []), ...journals.flatMap(({ isUndoing, paths }) => (isUndoing ? [...paths.keys()] : []))],
    note: (paths) => {
      write(...paths.map(({ path, before }) => ({ kind: "path", path, before }) as const));
    },
    noteRepository: (landing) => {
      guarded("store-unavailable", unwritable(directory), () => {
        for (const state of states) {
          const copy = join(directory, basename(state));
          if (existsSync(state) && !existsSync(copy)) linkSync(state, copy);
        }
        write({ kind: "repository", ...landing });
        fsyncSync(fd);
      });
    },
    noteLocks: (locks) => {
      guarded("store-unavailable", unwritable(directory), () => {
        write({ kind: "locks", locks });
      });
    },
    close: () => {
      closeSync(fd);
    },
  };
}

/** The journal has served when the manifest says what landed; from now on it is what can be taken back. */
export function endJournal({ directory }: Pick<Journal, "directory">, manifest: Manifest): void {
  const written = readJournal(directory);
  if (written === null) return;
  const after = [...written.paths].flatMap(([path, before]): (readonly [string, string | null])[] => {
    const now = manifest.get(path) ?? null;
    return now === (before?.signature ?? null) ? [] : [[path, now]];
  });
  if (after.length + written.repositories.length === 0 && written.what !== "discard") removeTree(directory);
  else appendTo(directory, { kind: "ended", after });
}

/** Throws `store-unavailable`. */
export function appendTo(directory: string, entry: Entry): void {
  guarded("store-unavailable", unwritable(directory), () => {
    appendEntries(journalPaths(directory).file, [entry]);
  });
}

function unwritable(directory: string): string {
  return `The journal in ${directory} cannot be written`;
}

function appendEntries(file: string, entries: readonly Entry[]): void {
  const fd = openSync(file, "a", 0o600);
  try {
    writeEntries(fd, entries);
  } finally {
    closeSync(fd);
  }
}

/** All of them or none: after a part of a line, the next one would be lost with it. A kill may leave such a part, and it ends here. */
function writeEntries(fd: number, entries: readonly Entry[]): void {
  const { size } = fstatSync(fd);
  try {
    writeFileSync(fd, `\n${entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")}`);
  } catch (error) {
    ftruncateSync(fd, size);
    throw error;
  }
}

/** The first is the oldest. */
export function readJournals(below: string): readonly Written[] {
  return numbersIn(below).flatMap((number) => readJournal(join(below, String(number))) ?? []);
}

export function numbersIn(below: string): readonly number[] {
  if (!existsSync(below)) return [];
  return readdirSync(below)
    .filter((name) => /^[1-9]\d{0,8}$/u.test(name))
    .map(Number)
    .toSorted((one, other) => one - other);
}

/** Null: nothing was begun. What was taken back is in it no more. */
export function readJournal(directory: string): Written | null {
  const { file } = journalPaths(directory);
  if (!existsSync(file)) return null;
  let begun: Begun | null = null;
  let after: Map<string, string | null> | null = null;
  let isUndoing = false;
  const locks: HeldLock[] = [];
  const paths = new Map<string, Before>();
  const repositories = new Map<string, RepositoryLanding>();
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const entry = entryOf(line);
    if (entry?.kind === "begun") begun ??= entry;
    else if (entry?.kind === "path" && !paths.has(entry.path)) paths.set(entry.path, entry.before);
    else if (entry?.kind === "repository") repositories.set(entry.repository, joined(repositories.get(entry.repository), entry));
    else if (entry?.kind === "ended") after = new Map([...(after ?? []), ...entry.after]);
    else if (entry?.kind === "locks") locks.push(...entry.locks);
    else if (entry?.kind === "undoing") isUndoing = true;
    else if (entry?.kind === "undone") {
      isUndoing = false;
      for (const path of entry.paths) after?.delete(path);
      for (const path of entry.paths) paths.delete(path);
      for (const repository of entry.repositories) repositories.delete(repository);
    }
  }
  return begun === null ? null : { ...begun, directory, paths, repositories: [...repositories.values()], after, isUndoing, locks };
}

/** Of a landing that went on: what was first noted of each is what was before. */
function joined(one: RepositoryLanding | undefined, { repository, refs, head, index }: RepositoryLanding): RepositoryLanding {
  if (one === undefined) return { repository, refs, head, index };
  const firstOf = <Item extends { readonly before: unknown }>(
    items: readonly Item[],
    more: readonly Item[],
    nameOf: (item: Item) => string,
  ): readonly Item[] => {
    const found = new Map(items.map((item) => [nameOf(item), item]));
    for (const item of more) found.set(nameOf(item), { ...item, before: (found.get(nameOf(item)) ?? item).before });
    return [...found.values()];
  };
  return {
    repository,
    refs: firstOf(one.refs, refs, ({ name }) => name),
    head: head === null || one.head === null ? head : { before: one.head.before, after: head.after },
    index: firstOf(one.index, index, ({ path }) => path),
  };
}

/** A line that a kill or a full disk cut short says of nothing that was begun. */
function entryOf(line: string): Entry | null {
  if (line === "") return null;
  try {
    return JSON.parse(line) as Entry;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** What a record is about to change. */
export function beforeOf(root: DirectoryFd, path: string, stats: Stats | null, expected: string | undefined): Before {
  if (stats === null) return null;
  const type = stats.isFile() ? "file" : stats.isDirectory() ? "directory" : stats.isSymbolicLink() ? "link" : "other";
  const target = type === "link" ? linkTarget(root, path) : null;
  return {
    type,
    mode: stats.mode & 0o7777,
    uid: stats.uid,
    gid: stats.gid,
    signature: signatureOf(stats),
    ...(expected !== undefined && /^[0-9a-f]{64}$/u.test(expected) ? { digest: expected } : {}),
    ...(target === null ? {} : { target }),
  };
}

/** Tells the layers of a run from others that came into their place, by a file beside them: what was done with those is nothing to these. */
export function layersIdOf(file: string): string {
  if (!existsSync(file)) writeWhole(file, newId("layers"));
  return readFileSync(file, "utf8");
}
