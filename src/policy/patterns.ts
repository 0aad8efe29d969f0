import { Minimatch } from "minimatch";
import { globsIntersect, literalGlob, literalText, matchesGlob, parseGlob, type Glob } from "./glob.ts";
import type { PathPattern } from "./policy.ts";

/** The one way in which a policy's path patterns are read: no braces, no negation, no comments; dots are ordinary. */
const OPTIONS = { dot: true, nobrace: true, nonegate: true, nocomment: true, platform: "linux" } as const;

/** How a glob of a command relates to the patterns: `maybe`, some file of it could be meant; `pointed`, its own words aim at one. */
export type Touch = { readonly kind: "no" } | { readonly kind: "maybe" | "pointed"; readonly pattern: PathPattern };

/** Compiled path patterns. Paths are absolute and normalised. */
export type PathPatternSet = {
  /** The first pattern that covers the path or a directory above it (`a/**` covers `a`, and `a` covers what is in it). */
  find(path: string): PathPattern | null;
  /** The first pattern of which the path names a fixed ancestor: moving `.git` away moves `.git/hooks`. */
  findBelow(path: string): PathPattern | null;
  /** Conservative, for an absolute glob as bash expands it (a leading `*` names no dot file, `**` is `*`). */
  touch(glob: string): Touch;
  readonly isEmpty: boolean;
};

type Compiled = { readonly pattern: PathPattern; readonly matcher: Minimatch; readonly components: readonly (Glob | "rest")[] };

const NONE: readonly Compiled[] = [];
const NO_TOUCH: Touch = { kind: "no" };

export function compilePathPatterns(patterns: readonly PathPattern[]): PathPatternSet {
  const compiled = patterns.map(compilePattern);
  const endingIn = indexByLast(compiled);
  return {
    isEmpty: compiled.length === 0,
    find(path) {
      for (let start = 1, end = 0; start <= path.length; start = end + 1) {
        end = path.indexOf("/", start);
        if (end < 0) end = path.length;
        for (const { pattern, matcher } of endingIn(path.slice(start, end))) if (matcher.match(path.slice(0, end))) return pattern;
      }
      return null;
    },
    findBelow: (path) => compiled.find(({ components }) => isFixedAncestor(path.split("/").slice(1), components))?.pattern ?? null,
    touch(glob) {
      const operand = glob.split("/").slice(1).map(parseGlob);
      let maybe: Touch = NO_TOUCH;
      for (const { pattern, components } of compiled) {
        const kind = touchOf(operand, components);
        if (kind === "pointed") return { kind, pattern };
        if (kind === "maybe" && maybe.kind === "no") maybe = { kind, pattern };
      }
      return maybe;
    },
  };
}

/** Whether an absolute glob, as bash expands it, can name the path or something below it. */
export function globReaches(glob: string, path: string): boolean {
  const operand = glob.split("/").slice(1).map(parseGlob);
  const names = path.split("/").slice(1).map(literalGlob);
  return operand.length >= names.length && names.every((name, index) => namesCommonFile(operand[index] as Glob, name));
}

/**
 * The patterns that are in question for a component of a path, by their own last component: a workspace of 100,000 files is
 * looked through with every pattern, and nearly every name is in question for none.
 */
function indexByLast(compiled: readonly Compiled[]): (component: string) => readonly Compiled[] {
  const byName = new Map<string, Compiled[]>();
  const others: { readonly entry: Compiled; readonly has: (name: string) => boolean }[] = [];
  for (const entry of compiled) {
    const last = entry.components.at(-1);
    const name = last === undefined || last === "rest" ? null : literalText(last);
    if (name !== null) byName.set(name, [...(byName.get(name) ?? []), entry]);
    else others.push({ entry, has: last === undefined || last === "rest" ? () => true : nameTest(last) });
  }
  return (component) => {
    const named = byName.get(component);
    let found: Compiled[] | null = null;
    for (const { entry, has } of others) if (has(component)) (found ??= []).push(entry);
    if (found === null) return named ?? NONE;
    return named === undefined ? found : compiled.filter((entry) => named.includes(entry) || found.includes(entry));
  };
}

/** The test of one component; for one star between two texts (`*.pem`, `.env.*`) without building anything. */
function nameTest(glob: Glob): (name: string) => boolean {
  const star = glob.findIndex((token) => token.kind === "star");
  const before = literalText(glob.slice(0, Math.max(star, 0)));
  const after = literalText(glob.slice(star + 1));
  if (star < 0 || before === null || after === null) return (name) => matchesGlob(glob, name);
  return (name) => name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
}

function compilePattern(pattern: PathPattern): Compiled {
  // Everything below a covered directory is covered, so a trailing `/**` says nothing more.
  const base = pattern.pattern.replace(/(?:\/\*\*)+$/u, "") || "/**";
  const components = base
    .split("/")
    .slice(1)
    .map((component) => (component === "**" ? ("rest" as const) : parseGlob(component)));
  return { pattern, matcher: new Minimatch(base, OPTIONS), components };
}

function isFixedAncestor(path: readonly string[], components: Compiled["components"]): boolean {
  const isFloating = components[0] === "rest";
  const fixed = isFloating ? components.slice(1) : components;
  for (let length = 1; length < fixed.length; length += 1) {
    const tail = isFloating ? path.slice(-length) : path;
    if (tail.length !== length) continue;
    if (tail.every((name, index) => componentHas(fixed[index], name))) return true;
  }
  return false;
}

function componentHas(component: Glob | "rest" | undefined, name: string): boolean {
  return component !== undefined && component !== "rest" && matchesGlob(component, name);
}

/** Whether the glob can name something that the pattern covers: the pattern is matched against the glob and each ancestor of it. */
function touchOf(operand: readonly Glob[], components: Compiled["components"]): Touch["kind"] {
  let best: Touch["kind"] = "no";
  const walk = (at: number, patternAt: number, isPointed: boolean): void => {
    if (best === "pointed") return;
    const component = components[patternAt];
    if (component === undefined) {
      best = isPointed ? "pointed" : "maybe";
      return;
    }
    if (component === "rest") {
      walk(at, patternAt + 1, isPointed);
      if (at < operand.length) walk(at + 1, patternAt, isPointed);
      return;
    }
    const here = operand[at];
    if (here === undefined || !namesCommonFile(here, component)) return;
    walk(at + 1, patternAt + 1, patternAt === components.length - 1 ? aims(here, component) : isPointed);
  };
  walk(0, 0, false);
  return best;
}

function namesCommonFile(operand: Glob, component: Glob): boolean {
  const first = operand[0];
  // Bash gives a dot file only to a glob that begins with the dot.
  if (first !== undefined && first.kind !== "character" && component[0]?.kind === "character" && component[0].value === ".") return false;
  return globsIntersect(operand, component);
}

/** `.e*` aims at `.env`, `*.pem` at `*.pem`; `*` and `i*` aim at neither `id_rsa` nor them. */
function aims(operand: Glob, component: Glob): boolean {
  const own = fixedText(operand);
  if (literalText(component) !== null) return own.length >= 2;
  return own.includes(longestFixed(component));
}

function fixedText(glob: Glob): string {
  return glob.map((token) => (token.kind === "character" ? token.value : "")).join("");
}

function longestFixed(glob: Glob): string {
  const chunks = glob
    .map((token) => (token.kind === "character" ? token.value : "\n"))
    .join("")
    .split("\n");
  return chunks.reduce((longest, chunk) => (chunk.length > longest.length ? chunk : longest), "");
}
