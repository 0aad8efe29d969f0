import { type Glob, type GlobToken, literalText, matchesGlob } from "../matching/glob.ts";

/** Words that the same globs match: the shortest of them, and the indexes of those globs. */
export type WordClass = { readonly word: string; readonly matches: ReadonlySet<number> };

/** How a glob is read along a word: the tokens that may come next. */
type Reading = { readonly glob: number; readonly at: readonly number[] };

type Node = { readonly word: string; readonly readings: readonly Reading[] };

const MAX_NODES = 20_000;
const WITHIN = -1;

/**
 * Every class of words that `within` matches, told apart by which of `globs` match: exact, because the globs are read side by side, character by character, as
 * one automaton. Null where that automaton is too large to be looked through. `without`: characters that no word may hold.
 */
export function classesWithin(within: Glob, globs: readonly Glob[], without = ""): readonly WordClass[] | null {
  const text = literalText(within);
  if (text !== null) return [{ word: text, matches: new Set(globs.flatMap((glob, index) => (matchesGlob(glob, text) ? [index] : []))) }];
  const tokensOf = (index: number): Glob => (index === WITHIN ? within : (globs[index] as Glob));
  const found = new Map<string, WordClass>();
  const seen = new Set<string>();
  const start: Node = { word: "", readings: [WITHIN, ...globs.keys()].map((glob) => ({ glob, at: closure(tokensOf(glob), [0]) })) };
  let layer: Node[] = [start];
  let visited = 0;
  while (layer.length > 0) {
    const next: Node[] = [];
    for (const node of layer) {
      if ((visited += 1) > MAX_NODES) return null;
      for (const character of alphabet(node, tokensOf)) {
        if (without.includes(character)) continue;
        const readings = node.readings.flatMap(({ glob, at }) => {
          const reached = step(tokensOf(glob), at, character);
          return reached.length === 0 ? [] : [{ glob, at: reached }];
        });
        if (readings[0]?.glob !== WITHIN) continue;
        const key = readings.map(({ glob, at }) => `${String(glob)}:${at.join(",")}`).join(";");
        if (seen.has(key)) continue;
        seen.add(key);
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
