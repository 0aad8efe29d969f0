import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import type { Change } from "../../sandbox/runtime.ts";
import { ancestorsOf } from "../../sandbox/workspace/files/layers.ts";
import { OWN_REPOSITORY } from "../../sandbox/workspace/repository/beginnings.ts";
import { compilePatterns } from "../../sandbox/workspace/scan/path-patterns.ts";
import type { FlaggedChange } from "./ranks.ts";

/** A part of a run's changes, as a person names it. */
export type Selection<Item extends Change> = {
  readonly selected: readonly Item[];
  /** What somebody named and no change matches. */
  readonly unmatched: readonly string[];
};

type Direction = "apply" | "discard";

/**
 * Chooses by relative paths and globs (as in a policy: `*` stops at a slash, `**` does not). A directory means everything in it; a
 * repository's own files are one unit; and what a chosen path cannot be without comes along: the new directories above it, or when
 * discarding the deleted ones. No paths mean all changes.
 */
export function selectChanges<Item extends Change>(changes: readonly Item[], paths: readonly string[], direction: Direction): Selection<Item> {
  if (paths.length === 0) return { selected: changes, unmatched: [] };
  const outside = changes.filter(({ repository }) => repository !== undefined);
  if (outside.length === 0) return selectInside(changes, paths, direction);
  const inside = selectInside(
    changes.filter(({ repository }) => repository === undefined),
    paths,
    direction,
  );
  const naming = paths.filter((path) => namesOutside(path, outside));
  return { selected: [...inside.selected, ...(naming.length > 0 ? outside : [])], unmatched: inside.unmatched.filter((path) => !naming.includes(path)) };
}

/** A repository outside the workspace is one unit, named by its own path, one in it, or as the `.git` that the workspace calls it. */
function namesOutside(path: string, outside: readonly Change[]): boolean {
  const literal = literalOf(path);
  if ([".git", ".", ""].includes(literal) || outside.some((change) => change.path === literal || change.path.startsWith(`${literal}/`))) return true;
  return outside.some(({ repository }) => repository === literal) || compilePatterns([`/${literal.replace(/^\//u, "")}`]).covers("/.git/HEAD");
}

function selectInside<Item extends Change>(changes: readonly Item[], paths: readonly string[], direction: Direction): Selection<Item> {
  const matchers = paths.map((path) => ({ path, isMatch: matcherOf(path, changes) }));
  const unmatched = matchers.filter(({ isMatch }) => !changes.some((change) => isMatch(change.path))).map(({ path }) => path);
  const named = changes.filter((change) => matchers.some(({ isMatch }) => isMatch(change.path)));
  const chosen = new Set(named);
  const units = new Set(named.map((change) => unitOf(change.path)).filter((unit) => unit !== null));
  const needed = new Set<string>();
  const isCreated = direction === "apply" ? "deleted" : "added";
  for (const change of changes) {
    if (!chosen.has(change) && !units.has(unitOf(change.path) ?? "")) continue;
    if (change.kind !== isCreated) for (const above of ancestorsOf(change.path)) needed.add(above);
  }
  const isNeeded = (change: Item): boolean => (change.kind === "added" || change.kind === "deleted") && needed.has(change.path);
  return { selected: changes.filter((change) => chosen.has(change) || units.has(unitOf(change.path) ?? "") || isNeeded(change)), unmatched };
}

/** The same; throws `usage` for what matches nothing. */
export function choose(changes: readonly Change[], paths: readonly string[], direction: "apply" | "discard"): readonly Change[] {
  const { selected, unmatched } = selectChanges(changes, paths, direction);
  if (unmatched.length > 0)
    throw new AgentError(
      "usage",
      `No change matches ${unmatched.map(makeVisibleLine).join(", ")}. Paths are relative to the workspace. See: warder changes list`,
    );
  return selected;
}

/** Tells whether somebody named just this path, however it is written; a directory above it or a glob does not name it. */
export function nameTest(paths: readonly string[]): (path: string) => boolean {
  const names = new Set(paths.map(literalOf));
  return (path) => names.has(path);
}

/** Flags by which a change stays out by itself, whatever a person says of all changes. */
const STAYS_OUT = new Set("repository link secret unread sparse conflict mount other-owner hard-link special-file".split(" "));

/** Changes that are flagged, might land all the same, and that nobody named by their own path: a person is asked about these. */
export function unnamedFlagged(changes: readonly FlaggedChange[], paths: readonly string[]): readonly FlaggedChange[] {
  const isNamed = nameTest(paths);
  const namesOf = ({ path, repository }: Change): readonly string[] => [
    path,
    unitOf(path) ?? path,
    ...(repository === undefined ? [] : [repository, OWN_REPOSITORY]),
  ];
  return changes.filter(({ flags, ...change }) => flags.length > 0 && !flags.some(({ kind }) => STAYS_OUT.has(kind)) && !namesOf(change).some(isNamed));
}

function literalOf(path: string): string {
  return path.replace(/^(?:\.\/+)+/u, "").replace(/\/+$/u, "");
}

/** A path that is there means itself and what is in it, whatever characters it has; anything else is read as a glob. */
function matcherOf(path: string, changes: readonly Change[]): (path: string) => boolean {
  const literal = literalOf(path);
  if (literal === "." || literal === "") return () => true;
  const isLiteral = (candidate: string): boolean => candidate === literal || candidate.startsWith(`${literal}/`);
  if (changes.some((change) => isLiteral(change.path))) return isLiteral;
  const patterns = compilePatterns([`/${literal}`]);
  return (candidate) => patterns.covers(`/${candidate}`);
}

/** The outermost `.git` that a path is or lies in, or null. */
function unitOf(path: string): string | null {
  return /^(?:.*?\/)??\.git(?=\/|$)/isu.exec(path)?.[0] ?? null;
}

/** Null where there is no list: what is thrown away as a whole need not be known. */
export function listed(list: () => readonly Change[]): readonly Change[] | null {
  try {
    return list();
  } catch (error) {
    if (error instanceof AgentError) return null;
    throw error;
  }
}
