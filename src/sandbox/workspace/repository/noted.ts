import type { FileEntry, Head } from "./state.ts";

// What is written down of a repository before it moves, so that whoever comes after a kill can go on, or take it back.

/** A ref that names something else once a run's commits land; ids, or null where there is none. */
export type MovedRef = { readonly name: string; readonly before: string | null; readonly after: string | null };

/** An entry of the index that becomes another, or goes. */
export type MovedEntry = { readonly path: string; readonly before: FileEntry | null; readonly after: FileEntry | null };

/** Called before anything moves. */
export type NoteLanding = (landing: RepositoryLanding) => void;

/** What landing moves in a repository. */
export type RepositoryLanding = {
  readonly repository: string;
  readonly refs: readonly MovedRef[];
  /** Where HEAD stands before and after; null: that is no matter. */ readonly head: { readonly before: Head; readonly after: Head } | null;
  readonly index: readonly MovedEntry[];
};

/** A lock that a git of ours holds, as it is told from another of the same name. */
export type HeldLock = {
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  readonly birthtimeMs: number;
  /** That git. */ readonly owner: string;
};

export type NoteLocks = (locks: readonly HeldLock[]) => void;
