import { countLines, takeLines } from "./text-file.ts";

/** The most that a file may have afterwards, in characters: more is not written at once. */
export const MAX_CHARACTERS = 10 * 1024 * 1024;
const MAX_SHOWN_LINES = 20;

export type Replacement =
  | { readonly kind: "replaced"; readonly text: string; readonly count: number }
  /** The old text does not occur. `nearest` is the line most like its first line, counted from 1. */
  | { readonly kind: "absent"; readonly nearest: { readonly line: number; readonly text: string } | null }
  /** `lines`: where the first ones begin. */
  | { readonly kind: "ambiguous"; readonly count: number; readonly lines: readonly number[] }
  | { readonly kind: "too-long" };

/**
 * Replaces exact text. A file whose lines all end in CRLF is matched and written with CRLF even when the caller
 * wrote LF; in any other file the text is taken exactly as it stands. A result that could not be written is never made.
 */
export function replaceExactly(text: string, change: { readonly from: string; readonly to: string; readonly isAll: boolean }): Replacement {
  const isCrlf = text.includes("\r\n") && !/(?<!\r)\n/u.test(text);
  const from = isCrlf ? toCrlf(change.from) : change.from;
  const to = isCrlf ? toCrlf(change.to) : change.to;
  const { count, first } = occurrences(text, from);
  if (count === 0) return { kind: "absent", nearest: nearestLine(text, change.from) };
  if (count > 1 && !change.isAll) return { kind: "ambiguous", count, lines: first.map((at) => countLines(text, 0, at + 1)) };
  if (text.length + count * (to.length - from.length) > MAX_CHARACTERS) return { kind: "too-long" };
  return { kind: "replaced", text: text.split(from).join(to), count };
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/gu, "\r\n");
}

function occurrences(text: string, wanted: string): { readonly count: number; readonly first: readonly number[] } {
  const first: number[] = [];
  let count = 0;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    count += 1;
    if (first.length < MAX_SHOWN_LINES) first.push(at);
  }
  return { count, first };
}

// A model usually errs in whitespace or one word, so the pairs of letters of one line tell which was meant.
// Bounded: a hint is not worth more than a few milliseconds.
function nearestLine(text: string, wanted: string): { line: number; text: string } | null {
  const target = letterPairs(wanted.split("\n").find((line) => line.trim() !== "") ?? "");
  if (target.size === 0) return null;
  let best: { line: number; text: string; score: number } | null = null;
  for (const [index, line] of takeLines(text, 20_000).entries()) {
    const pairs = letterPairs(line);
    let shared = 0;
    for (const pair of pairs) if (target.has(pair)) shared += 1;
    const score = (2 * shared) / (pairs.size + target.size);
    if (score > 0.5 && (best === null || score > best.score)) best = { line: index + 1, text: line.trimEnd().slice(0, 200), score };
  }
  return best && { line: best.line, text: best.text };
}

function letterPairs(line: string): ReadonlySet<string> {
  const letters = line.slice(0, 300).replace(/\s+/gu, "");
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < letters.length; index += 1) pairs.add(letters.slice(index, index + 2));
  return pairs;
}
