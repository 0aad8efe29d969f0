import { type Glob, type GlobToken, literalText, matchesGlob } from "../matching/glob.ts";
import { type Budget, globSteps, matchSteps, tokenSteps } from "./budget.ts";

/** Words that the same globs match: the shortest of them, and the indexes of those globs. */
export type WordClass = { readonly word: string; readonly matches: ReadonlySet<number> };

/** How a glob is read along a word: the tokens that may come next. */
type Reading = { readonly glob: number; readonly at: readonly number[] };

type Node = { readonly word: string; readonly readings: readonly Reading[] };

const MAX_NODES = 20_000;
const WITHIN = -1;

/**
 * Every class of words that `within` matches, told apart by which of `globs` match: exact, because the globs are read side by side, character by character, as
 * one automaton. Null where that automaton is too large to be looked through, or the budget for it. `without`: characters that no word may hold.
 */
export function classesWithin(within: Glob, globs: readonly Glob[], budget: Budget, without = ""): readonly WordClass[] | null {
  const tokens = globs.reduce((sum, glob) => sum + globSteps(glob), globSteps(within));
  const text = literalText(within);
  if (!budget.take(globs.length + matchSteps(text?.length ?? 1, tokens))) return null;
  if (text !== null) return [{ word: text, matches: new Set(globs.flatMap((glob, index) => (matchesGlob(glob, text) ? [index] : []))) }];
  const tokensOf = (index: number): Glob => (index === WITHIN ? within : (globs[index] as Glob));
  const found = new Map<string, WordClass>();
  const seen = new Set<string>();
  const start: Node = { word: "", readings: [WITHIN, ...globs.keys()].map((glob) => ({ glob, at: closure(tokensOf(glob), [0]) })) };
  let layer: Node[] = [start];
  while (layer.length > 0) {
    const next: Node[] = [];
    for (const node of layer) {
      const steps = stepsOf(node, tokensOf);
      if (!budget.take(alphabetSteps(node, tokensOf))) return null;
      const characters = alphabet(node, tokensOf);
      if (!budget.take(steps * characters.length)) return null;
      for (const character of characters) {
        if (without.includes(character)) continue;
        const readings = node.readings.flatMap(({ glob, at }) => {
          const reached = step(tokensOf(glob), at, character);
          return reached.length === 0 ? [] : [{ glob, at: reached }];
        });
        if (readings[0]?.glob !== WITHIN) continue;
        const key = readings.map(({ glob, at }) => `${String(glob)}:${at.join(",")}`).join(";");
        if (seen.has(key)) continue;
        seen.add(key);
        // All of them would be looked through.
        if (seen.size > MAX_NODES) return null;
        const child = { word: node.word + character, readings };
        next.push(child);
        note(child, tokensOf, found);
      }
    }
    layer = next;
  }
  // The empty word is a word; any other one of its class shows more.
  note(start, tokensOf, found);
  return [...found.values()];
}

/** What it is to find the characters that there are to read: each end of a range is held against all that are named. */
function alphabetSteps({ readings }: Node, tokensOf: (index: number) => Glob): number {
  const tokens = readings.flatMap(({ glob, at }) => at.map((position) => tokensOf(glob)[position]));
  const ranges = tokens.reduce((sum, token) => sum + (token?.kind === "class" ? token.ranges.length : 0), 0);
  return tokens.length + (1 + 2 * ranges) * (FRIENDLY.length + tokens.length);
}

/** What it is to read one character. */
function stepsOf({ readings }: Node, tokensOf: (index: number) => Glob): number {
  return readings.reduce((sum, { glob, at }) => sum + 1 + at.reduce((own, position) => own + tokenSteps(tokensOf(glob)[position]), 0), 0);
}

function note({ word, readings }: Node, tokensOf: (index: number) => Glob, found: Map<string, WordClass>): void {
  const ended = readings.filter(({ glob, at }) => at.includes(tokensOf(glob).length)).map(({ glob }) => glob);
  if (ended[0] !== WITHIN) return;
  const key = ended.join();
  if (!found.has(key)) found.set(key, { word, matches: new Set(ended.slice(1)) });
}

/** Stars may stand for nothing. */
function closure(glob: Glob, positions: readonly number[]): readonly number[] {
  const all = new Set(positions);
  for (const position of all) if (glob[position]?.kind === "star") all.add(position + 1);
  return [...all].toSorted((one, other) => one - other);
}

function step(glob: Glob, at: readonly number[], character: string): readonly number[] {
  const next = new Set<number>();
  for (const position of at) {
    const token = glob[position];
    if (token === undefined) continue;
    if (token.kind === "star") next.add(position);
    else if (matchesGlob([token], character)) next.add(position + 1);
  }
  return next.size === 0 ? [] : closure(glob, [...next]);
}

const FRIENDLY = [..."abcdefghijklmnopqrstuvwxyz0123456789"];
const FIRST_VISIBLE = 0x21;
const LAST = 0x10_ffff;

/** One character of each kind that the tokens tell apart, the plainest of its kind. */
function alphabet({ readings }: Node, tokensOf: (index: number) => Glob): readonly string[] {
  const tokens = readings.flatMap(({ glob, at }) => at.flatMap((position): GlobToken[] => tokensOf(glob).slice(position, position + 1)));
  const named = new Set(tokens.flatMap((token) => (token.kind === "character" ? [token.value] : [])));
  if (tokens.every(({ kind }) => kind === "character")) return [...named];
  // Where ranges begin and end, one kind of characters ends and another one begins.
  const ranges = tokens.flatMap((token) => (token.kind === "class" ? token.ranges : []));
  const starts = [...new Set([FIRST_VISIBLE, ...ranges.flatMap(([low, high]) => [low, high + 1])])].filter((point) => point <= LAST).toSorted((a, b) => a - b);
  const others = starts.flatMap((low, index) => between(low, (starts[index + 1] ?? LAST + 1) - 1, named));
  return [...named, ...others];
}

/** The plainest character between two code points that is not named by itself. */
function between(low: number, high: number, named: ReadonlySet<string>): readonly string[] {
  const isIn = (character: string): boolean => (character.codePointAt(0) ?? 0) >= low && (character.codePointAt(0) ?? 0) <= high && !named.has(character);
  const friendly = FRIENDLY.find(isIn);
  if (friendly !== undefined) return [friendly];
  for (let point = low; point <= Math.min(high, low + named.size); point += 1) if (isIn(String.fromCodePoint(point))) return [String.fromCodePoint(point)];
  return [];
}

/** A short word that the glob matches, and the plainest one: no star stands for anything, unless there is nothing else. */
export function plainWord(glob: Glob): string {
  const word = glob
    .map((token) => (token.kind === "character" ? token.value : token.kind === "any" ? "a" : token.kind === "class" ? plainMember(token) : ""))
    .join("");
  return word === "" ? "a" : word;
}

function plainMember(token: Extract<GlobToken, { kind: "class" }>): string {
  const ends = token.ranges.flatMap(([low, high]) => [low, high + 1]).filter((point) => point >= FIRST_VISIBLE && point <= LAST);
  return [...FRIENDLY, ...ends.map((point) => String.fromCodePoint(point))].find((character) => character !== "/" && matchesGlob([token], character)) ?? "a";
}
