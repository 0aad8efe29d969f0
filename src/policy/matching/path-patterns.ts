import { Minimatch } from "minimatch";
import { globsIntersect, literalGlob, literalText, matchesGlob, parseGlob, type Glob } from "./glob.ts";
import { NameFilter } from "./name-filter.ts";
import type { PathPattern } from "../policy.ts";

/** The one way in which a policy's path patterns are read: no braces, no negation, no comments; dots are ordinary. */
const OPTIONS = { dot: true, nobrace: true, nonegate: true, nocomment: true, platform: "linux" } as const;

/** How a glob of a command relates to the patterns: `maybe`, some file of it could be meant; `pointed`, its own words aim at one. */
export type Touch = { readonly kind: "no" } | { readonly kind: "maybe" | "pointed"; readonly pattern: PathPattern };

/** One name of a path as a glob, with what is asked of it over and over. */
type NameGlob = {
  readonly glob: Glob;
  /** The text of a glob without wildcards. */
  readonly text: string | null;
  /** What stands before and behind the only wildcard, when that is a star (`*.pem`). */
  readonly ends: { readonly before: string; readonly after: string } | null;
  /** The plain characters, and the longest run of them. */
  readonly fixed: string;
  readonly longest: string;
};

type Compiled = { readonly pattern: PathPattern; readonly covers: (path: string) => boolean; readonly components: readonly (NameGlob | "rest")[] };

const NONE: readonly Compiled[] = [];
const NO_TOUCH: Touch = { kind: "no" };

/** Compiled path patterns. Paths are absolute and normalised. A class, as its methods cost a decision less than functions that are made for each set did (docs/measurements/decide.md). */
export class PathPatternSet {
  readonly isEmpty: boolean;
  readonly #compiled: readonly Compiled[];
  readonly #filter: NameFilter;
  readonly #endingIn: (component: string) => readonly Compiled[];
  /** Directories of which no name is covered, each with a slash behind it. */
  readonly #uncovered: readonly string[];
  readonly #withAncestors: readonly Compiled[];
  readonly #mayBeAncestor: (path: string) => boolean;

  /** `places`: directories below which most paths lie, absolute and normalised. What covers none of them is not looked for in them again. */
  constructor(patterns: readonly PathPattern[], places: readonly string[] = []) {
    const compiled = patterns.map(compilePattern);
    this.isEmpty = compiled.length === 0;
    this.#compiled = compiled;
    this.#filter = new NameFilter(compiled.map(lastGlob));
    this.#endingIn = indexByLast(compiled);
    this.#withAncestors = compiled.filter(({ components }) => components.length > (components[0] === "rest" ? 2 : 1));
    this.#mayBeAncestor = ancestorTest(this.#withAncestors);
    this.#uncovered = places.filter((place) => place !== "/" && this.#findFrom(place, 1) === null).map((place) => `${place}/`);
  }

  /** The first pattern that covers the path or a directory above it (`a/**` covers `a`, and `a` covers what is in it). */
  find(path: string): PathPattern | null {
    for (const place of this.#uncovered) if (path.startsWith(place)) return this.#findFrom(path, place.length);
    return this.#findFrom(path, 1);
  }

  #findFrom(path: string, from: number): PathPattern | null {
    for (let start = from, end = 0; start <= path.length; start = end + 1) {
      end = path.indexOf("/", start);
      if (end < 0) end = path.length;
      if (!this.#filter.mayMatch(path, start, end)) continue;
      for (const { pattern, covers } of this.#endingIn(path.slice(start, end))) if (covers(path.slice(0, end))) return pattern;
    }
    return null;
  }

  /** The first pattern of which the path names a fixed ancestor: moving `.git` away moves `.git/hooks`. */
  findBelow(path: string): PathPattern | null {
    if (!this.#mayBeAncestor(path)) return null;
    const names = path.split("/").slice(1);
    return this.#withAncestors.find(({ components }) => isFixedAncestor(names, components))?.pattern ?? null;
  }

  /** Conservative, for an absolute glob as bash expands it (a leading `*` names no dot file, `**` is `*`). */
  touch(glob: string): Touch {
    const operand = namesOf(glob);
    let maybe: Touch = NO_TOUCH;
    for (const { pattern, components } of this.#compiled) {
      const kind = touchOf(operand, components);
      if (kind === "pointed") return { kind, pattern };
      if (kind === "maybe" && maybe.kind === "no") maybe = { kind, pattern };
    }
    return maybe;
  }
}

/** Whether an absolute glob, as bash expands it, can name the path or something below it. */
export function globReaches(glob: string, path: string): boolean {
  const operand = namesOf(glob);
  const names = path.split("/").slice(1);
  return operand.length >= names.length && names.every((text, index) => namesCommonFile(operand[index] as NameGlob, describeGlob(literalGlob(text))));
}

/** The names of an absolute glob. */
function namesOf(glob: string): readonly NameGlob[] {
  return glob.split("/").slice(1).map(nameGlob);
}

function nameGlob(name: string): NameGlob {
  return describeGlob(parseGlob(name));
}

function describeGlob(glob: Glob): NameGlob {
  const text = literalText(glob);
  if (text !== null) return { glob, text, ends: null, fixed: text, longest: text };
  let fixed = "";
  let run = "";
  let longest = "";
  for (const token of glob) {
    run = token.kind === "character" ? run + token.value : "";
    if (token.kind === "character") fixed += token.value;
    if (run.length > longest.length) longest = run;
  }
  const star = glob.findIndex((token) => token.kind === "star");
  const before = literalText(glob.slice(0, Math.max(star, 0)));
  const after = literalText(glob.slice(star + 1));
  return { glob, text, ends: star < 0 || before === null || after === null ? null : { before, after }, fixed, longest };
}

/**
 * The patterns that are in question for a component of a path, by their own last component: a workspace of 100,000 files is
 * looked through with every pattern, and nearly every name is in question for none.
 */
function indexByLast(compiled: readonly Compiled[]): (component: string) => readonly Compiled[] {
  const byName = new Map<string, Compiled[]>();
  const byFirst = new Map<string, Candidate[]>();
  const byLast = new Map<string, Candidate[]>();
  const others: Candidate[] = [];
  for (const entry of compiled) {
    const last = entry.components.at(-1);
    if (last === undefined || last === "rest") others.push({ entry, has: () => true });
    else if (last.text !== null) addTo(byName, last.text, entry);
    else {
      const [head, tail] = [last.glob[0], last.glob.at(-1)];
      const candidate = { entry, has: nameTest(last) };
      if (head?.kind === "character") addTo(byFirst, head.value, candidate);
      else if (tail?.kind === "character") addTo(byLast, tail.value, candidate);
      else others.push(candidate);
    }
  }
  return (component) => {
    const named = byName.get(component);
    const found: Compiled[] = [];
    collect(byFirst.get(firstOf(component)), component, found);
    collect(byLast.get(lastOf(component)), component, found);
    collect(others, component, found);
    if (found.length === 0) return named ?? NONE;
    // In the order of the policy, of which the first that covers a path is named.
    return compiled.filter((entry) => named?.includes(entry) === true || found.includes(entry));
  };
}

/** The last name of a pattern; null where that is any. */
function lastGlob({ components }: Compiled): Glob | null {
  const last = components.at(-1);
  return last === undefined || last === "rest" ? null : last.glob;
}

/** Whether a path may be a fixed ancestor, by its names, or as the beginning of a pattern without wildcards. Few are, and only those are held against each pattern. */
function ancestorTest(compiled: readonly Compiled[]): (path: string) => boolean {
  const [names, paths] = [new Set<string | null>(), new Set<string>()];
  for (const { components } of compiled) {
    const ancestors = components.slice(components[0] === "rest" ? 1 : 0, -1);
    const texts = ancestors.map((component) => (component === "rest" ? null : component.text));
    if (components[0] === "rest" || texts.includes(null)) names.add(texts[0] ?? null);
    else for (let length = 1; length <= texts.length; length += 1) paths.add(`/${texts.slice(0, length).join("/")}`);
  }
  return (path) => {
    if (names.has(null) || paths.has(path)) return true;
    for (let start = 1, end = 0; start <= path.length; start = end + 1) {
      end = path.indexOf("/", start);
      if (end < 0) end = path.length;
      if (names.has(path.slice(start, end))) return true;
    }
    return false;
  };
}

function collect(candidates: readonly Candidate[] | undefined, component: string, found: Compiled[]): void {
  if (candidates !== undefined) for (const { entry, has } of candidates) if (has(component)) found.push(entry);
}

type Candidate = { readonly entry: Compiled; readonly has: (name: string) => boolean };

function addTo<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

/** The first and the last character, as globs count them. */
function firstOf(name: string): string {
  const unit = name.charCodeAt(0);
  return unit >= 0xd800 && unit <= 0xdfff ? String.fromCodePoint(name.codePointAt(0) ?? 0) : name.charAt(0);
}

function lastOf(name: string): string {
  const unit = name.charCodeAt(name.length - 1);
  return unit >= 0xdc00 && unit <= 0xdfff ? ([...name].at(-1) ?? "") : name.slice(-1);
}

/** The test of one component; for one star between two texts (`*.pem`, `.env.*`) without building anything. */
function nameTest({ glob, ends }: NameGlob): (name: string) => boolean {
  return ends === null ? (name) => matchesGlob(glob, name) : (name) => hasEnds(name, ends);
}

function compilePattern(pattern: PathPattern): Compiled {
  // Everything below a covered directory is covered, so a trailing `/**` says nothing more.
  const base = pattern.pattern.replace(/(?:\/\*\*)+$/u, "") || "/**";
  const components = base
    .split("/")
    .slice(1)
    .map((component) => (component === "**" ? ("rest" as const) : nameGlob(component)));
  // Made when a path is first in question: most patterns of a policy are never asked.
  let matcher: Minimatch | null = null;
  return { pattern, covers: (path) => (matcher ??= new Minimatch(base, OPTIONS)).match(path), components };
}

function isFixedAncestor(path: readonly string[], components: Compiled["components"]): boolean {
  const first = components[0] === "rest" ? 1 : 0;
  for (let length = 1; length < components.length - first; length += 1) {
    // A floating pattern may begin anywhere.
    const start = first === 1 ? path.length - length : 0;
    if (start < 0 || path.length - start !== length) continue;
    let index = 0;
    while (index < length && componentHas(components[first + index], path[start + index] as string)) index += 1;
    if (index === length) return true;
  }
  return false;
}

function componentHas(component: NameGlob | "rest" | undefined, name: string): boolean {
  if (component === undefined || component === "rest") return false;
  return component.text === null ? matchesGlob(component.glob, name) : component.text === name;
}

/** Whether the glob can name something that the pattern covers: the pattern is matched against the glob and each ancestor of it. */
function touchOf(operand: readonly NameGlob[], components: Compiled["components"]): Touch["kind"] {
  const last = components.at(-1);
  // Most patterns end in a name that no word of the command can name.
  if (last !== undefined && last !== "rest" && !operand.some((name) => namesCommonFile(name, last))) return "no";
  let starts: readonly number[] = [0];
  for (const [index, component] of components.entries()) {
    if (component === "rest") {
      const [first = operand.length] = starts;
      starts = Array.from({ length: operand.length - first + 1 }, (_, more) => first + more);
      continue;
    }
    const next: number[] = [];
    for (const at of starts) {
      const here = operand[at];
      if (here === undefined || !namesCommonFile(here, component)) continue;
      if (index === components.length - 1 && aims(here, component)) return "pointed";
      next.push(at + 1);
    }
    if (next.length === 0) return "no";
    starts = next;
  }
  return "maybe";
}

function namesCommonFile(operand: NameGlob, component: NameGlob): boolean {
  if (operand.text !== null && component.text !== null) return operand.text === component.text;
  const first = operand.glob[0];
  const other = component.glob[0];
  // Bash gives a dot file only to a glob that begins with the dot.
  if (first !== undefined && first.kind !== "character" && other?.kind === "character" && other.value === ".") return false;
  if (operand.ends !== null && component.ends !== null) return meet(operand.ends, component.ends);
  if (operand.ends !== null && component.text !== null) return hasEnds(component.text, operand.ends);
  if (component.ends !== null && operand.text !== null) return hasEnds(operand.text, component.ends);
  return globsIntersect(operand.glob, component.glob);
}

type Ends = NonNullable<NameGlob["ends"]>;

function hasEnds(name: string, { before, after }: Ends): boolean {
  return name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
}

/** Whether some name has both: the star of each takes what the other one wants further. */
function meet(one: Ends, other: Ends): boolean {
  return (one.before.startsWith(other.before) || other.before.startsWith(one.before)) && (one.after.endsWith(other.after) || other.after.endsWith(one.after));
}

/** `.e*` aims at `.env`, `*.pem` at `*.pem`; `*` and `i*` aim at neither `id_rsa` nor them. */
function aims(operand: NameGlob, component: NameGlob): boolean {
  return component.text === null ? operand.fixed.includes(component.longest) : operand.fixed.length >= 2;
}
