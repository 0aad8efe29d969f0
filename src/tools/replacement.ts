import { splitLines } from "./text-file.ts";

export type Replacement =
  | { readonly kind: "replaced"; readonly text: string; readonly count: number }
  /** The old text does not occur. `nearest` is the line most like its first line, counted from 1. */
  | { readonly kind: "absent"; readonly nearest: { readonly line: number; readonly text: string } | null }
  | { readonly kind: "ambiguous"; readonly lines: readonly number[] };

/**
 * Replaces exact text. A file whose lines all end in CRLF is matched and written with CRLF even when the caller
 * wrote LF; in any other file the text is taken exactly as it stands.
 */
export function replaceExactly(text: string, change: { readonly from: string; readonly to: string; readonly isAll: boolean }): Replacement {
  const isCrlf = text.includes("\r\n") && !/(?<!\r)\n/u.test(text);
  const from = isCrlf ? toCrlf(change.from) : change.from;
  const to = isCrlf ? toCrlf(change.to) : change.to;
  const pieces = text.split(from);
  const count = pieces.length - 1;
  if (count === 0) return { kind: "absent", nearest: nearestLine(text, change.from) };
  if (count > 1 && !change.isAll) return { kind: "ambiguous", lines: lineNumbers(pieces, from) };
  return { kind: "replaced", text: pieces.join(to), count };
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/gu, "\r\n");
}

function lineNumbers(pieces: readonly string[], from: string): readonly number[] {
  const numbers: number[] = [];
  let line = 1;
  for (const piece of pieces.slice(0, -1)) {
    line += countNewlines(piece);
    numbers.push(line);
    line += countNewlines(from);
  }
  return numbers;
}

function countNewlines(text: string): number {
  return text.split("\n").length - 1;
}

// A model usually errs in whitespace or one word, so the pairs of letters of one line tell which was meant.
// Bounded: a hint is not worth more than a few milliseconds.
function nearestLine(text: string, wanted: string): { line: number; text: string } | null {
  const target = letterPairs(wanted.split("\n").find((line) => line.trim() !== "") ?? "");
  if (target.size === 0) return null;
  let best: { line: number; text: string; score: number } | null = null;
  for (const [index, line] of splitLines(text).slice(0, 20_000).entries()) {
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
