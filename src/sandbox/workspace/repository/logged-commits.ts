import type { ChangedRepository, Subject } from "./checking-repository.ts";
import { textOf } from "./checking-repository.ts";
import type { MovedRef, RefMoves } from "./moved-refs.ts";

// `git checkout -`, `git stash pop stash@{1}` and `git reset HEAD@{1}` go to what a log names, whether a ref holds it or not.

const LOG = "logs/";
const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** More commits than a run leaves behind. */
const MAX_NAMED = 1000;

type Named = { readonly file: string; readonly name: string };

type LoggedCommits = { readonly refs: readonly MovedRef[]; /** The log that names more than are looked at; null: none does. */ readonly unread: string | null };

/** Which of these changed files of a repository are logs of refs. */
export function logsAmong(files: readonly string[]): readonly string[] {
  return files.filter((file) => file.startsWith(LOG));
}

/**
 * The commits that a run added, that its logs name, and that no ref will hold which a review shows; each once, as a ref that moves. `added`: the ids of all
 * objects that the run added.
 */
export async function loggedCommits(
  subject: Subject,
  at: { readonly files: readonly string[]; readonly moves: RefMoves; readonly added: readonly string[] },
): Promise<LoggedCommits> {
  const ids = at.added.toSorted();
  const named = new Map<string, Named>();
  let unread: string | null = null;
  for (const file of logsAmong(at.files))
    for (const [text, name] of newNames(subject, file))
      for (const id of startingWith(ids, text)) {
        if (named.has(id)) continue;
        if (named.size === MAX_NAMED) unread ??= file;
        else named.set(id, { file, name });
      }
  for (const { after } of at.moves.moved) if (after !== null) named.delete(after);
  if (named.size === 0) return { refs: [], unread };
  const held = [...at.moves.moved.map(({ after }) => after), at.moves.head.after].filter((id) => id !== null && ID.test(id));
  const input = `${[...named.keys(), ...held.map((id) => `^${id ?? ""}`)].join("\n")}\n`;
  const listed = await subject.git(["rev-list", "--stdin"], { input });
  // What cannot be told is shown.
  const unheld = listed.isDone ? new Set(listed.stdout.split("\n")) : null;
  const refs = [...named]
    .filter(([id]) => unheld === null || unheld.has(id))
    .map(([id, { file, name }]) => ({ file, name: `${name} (in a log alone)`, before: null, after: id }));
  return { refs, unread };
}

/** What the lines that a run added to a log name, with the name by which git finds it (gitrevisions(7)): whole ids, and the beginnings of ids. */
function* newNames({ layers, repository }: ChangedRepository, file: string): Generator<readonly [string, string]> {
  const old = new Set((textOf(layers.lower, `${repository}/${file}`) ?? "").split("\n"));
  const lines = (textOf(layers.upper, `${repository}/${file}`) ?? "").split("\n").filter((line) => line !== "");
  const ref = file.slice(LOG.length);
  for (const [number, line] of lines.toReversed().entries()) {
    if (old.has(line)) continue;
    const [before = "", after = ""] = line.split(" ", 2);
    if (ID.test(after)) yield [after, `${ref}@{${String(number)}}`];
    if (ID.test(before)) yield [before, `${ref}@{${String(number + 1)}}`];
    // `git checkout -` takes the name out of the message, as an id, the beginning of one, or what `git describe` makes of it.
    const from = /\tcheckout: moving from (?:\S*-g)?([0-9a-f]{4,64}) to /u.exec(line)?.[1];
    if (from !== undefined) yield [from, `${ref}@{${String(number)}}`];
  }
}

/** The ids, of a sorted list, that begin with a text. */
function startingWith(sorted: readonly string[], text: string): readonly string[] {
  let low = 0;
  for (let high = sorted.length; low < high;) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (sorted[end]?.startsWith(text) === true) end += 1;
  return sorted.slice(low, end);
}
