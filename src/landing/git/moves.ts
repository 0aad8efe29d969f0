import { makeVisibleLine } from "../../base/text.ts";
import { type FileEntry, type Head, isSameEntry, type RepositoryState, type StagedFiles, textOfPath } from "../../sandbox/workspace/repository/state.ts";
import type { MovedEntry, MovedRef } from "../../sandbox/workspace/repository/noted.ts";

/** What lands in a repository: all of it, or nothing. */
export type RepositoryMoves = {
  readonly refs: readonly MovedRef[];
  /** Where HEAD will stand, if that is elsewhere. */
  readonly head: Head | null;
  /** Where it stands. */
  readonly standing: Head;
  readonly index: readonly MovedEntry[];
  /** What the run staged and did not commit: in which the index will differ from the commit of HEAD. */
  readonly staged: StagedFiles;
  /** Names of other refs that the run changed: they do not land. */
  readonly symbolic: readonly string[];
  /** Why none of it may land: what somebody did to the repository since the session began. */
  readonly conflict: string | null;
};

export type States = {
  /** When the session began. */ readonly beginning: RepositoryState;
  /** As the run left it. */ readonly run: RepositoryState;
  /** As it is. */ readonly now: RepositoryState;
  /** Whether the run wrote its index. */ readonly isStaged: boolean;
  /** Whether it made the commit of its HEAD without one: the index follows. */ readonly isFollowed: boolean;
  /** Files in which the run's HEAD differs from the one that the session began with. */ readonly committed: StagedFiles;
};

/** Of one worktree, or of a command that is under way; what git reads instead of an object. */
const OWN = /^refs\/(?:bisect|worktree|rewritten|replace)\//u;

/** Compares the run's repository with what it was and what it is now. What was done on both sides alike is no move. */
export function movesOf(states: States): RepositoryMoves {
  const { beginning, run, now } = states;
  const refs: MovedRef[] = [];
  const symbolic: string[] = [];
  const conflicts: string[] = [];
  for (const name of new Set([...beginning.refs.keys(), ...run.refs.keys()])) {
    const [before, after, current] = [beginning, run, now].map((state) => state.refs.get(name) ?? null);
    if (before === after || after === current || OWN.test(name)) continue;
    if ([before, after, current].some((value) => value?.startsWith("ref: ") === true)) symbolic.push(name);
    else {
      refs.push({ name, before: before ?? null, after: after ?? null });
      if (before !== current) conflicts.push(`Conflict: ${makeVisibleLine(name)} was moved since the session began.`);
    }
  }
  const index = indexMoves(states);
  const head = isSameHead(run.head, beginning.head) || isSameHead(run.head, now.head) ? null : run.head;
  const moved = new Set(refs.map(({ name }) => name));
  const isStanding = isSameHead(now.head, beginning.head) || isSameHead(now.head, run.head);
  const concernsCheckout = head !== null || index.moves.length > 0 || [now.head.ref, beginning.head.ref].some((ref) => ref !== null && moved.has(ref));
  if (!isStanding && concernsCheckout)
    conflicts.push(
      `Conflict: HEAD is ${nameOfHead(now.head)} now, and was ${nameOfHead(beginning.head)} when the session began. Switch back, and apply again.`,
    );
  // The index would be of a commit that the branch does not name any more, or hold what somebody did on the other: the next commit would be of that.
  for (const name of head === null ? [] : [head.ref, now.head.ref])
    if (name !== null && !moved.has(name) && run.refs.get(name) !== now.refs.get(name))
      conflicts.push(`Conflict: ${makeVisibleLine(name)}, which ${name === head?.ref ? "the run" : "is"} checked out, was moved since the session began.`);
  if (head !== null && head.ref?.startsWith("refs/heads/") === false)
    conflicts.push(`In the run, HEAD names ${makeVisibleLine(head.ref)}, which is no branch: git takes it for damaged.`);
  const conflict = conflicts[0] ?? index.conflict;
  return { refs, symbolic, head, standing: now.head, index: index.moves, staged: index.staged, conflict };
}

/** A name of a branch is compared by itself: what the branch names is another question. */
export function isSameHead(one: Head, other: Head): boolean {
  return one.ref === other.ref && (one.ref !== null || one.id === other.id);
}

export function nameOfHead({ ref, id }: Head): string {
  return ref === null ? (id ?? "nothing").slice(0, 12) : makeVisibleLine(ref.replace(/^refs\/heads\//u, ""));
}

type IndexMoves = { readonly moves: readonly MovedEntry[]; readonly staged: StagedFiles; readonly conflict: string | null };

function indexMoves({ beginning, run, now, committed, isStaged, isFollowed }: States): IndexMoves {
  const moves: MovedEntry[] = [];
  const staged = new Map<string, { before: FileEntry | null; after: FileEntry | null }>();
  let conflict: string | null = null;
  for (const path of new Set([...run.staged.keys(), ...beginning.staged.keys(), ...committed.keys()])) {
    const found = [run.staged, beginning.staged, committed].map((files) => files.get(path));
    const original = found.find((file) => file !== undefined)?.before ?? null;
    const [inRun, before, inCommit] = found.map((file) => (file === undefined ? original : file.after));
    const isUntouched = isSameEntry(inRun ?? null, before ?? null);
    // A commit that the run made without an index: nobody staged the opposite of it.
    const after = (isFollowed && isSameEntry(before ?? null, original) ? inCommit : inRun) ?? null;
    const isOwn = isStaged || (!isFollowed && committed.has(path));
    if (isOwn && !(isUntouched && !committed.has(path)) && !isSameEntry(after, inCommit ?? null)) staged.set(path, { before: inCommit ?? null, after });
    const current = now.staged.has(path) ? (now.staged.get(path)?.after ?? null) : original;
    if (isSameEntry(after, before ?? null) || isSameEntry(after, current)) continue;
    moves.push({ path, before: current, after });
    if (!isSameEntry(current, before ?? null))
      conflict ??= `Conflict: ${makeVisibleLine(textOfPath(path))} was staged otherwise since the session began. Commit or unstage it, and apply again.`;
  }
  return { moves, staged, conflict };
}
