import { LIMITS } from "../model/limits.ts";

/**
 * The texts that bash's brace expansion makes of a raw word (quotes stay as they are), or null when there
 * are more than the limit or the word holds what is not expanded exactly here.
 */
export function expandBraces(text: string): readonly string[] | null {
  if (/[$`\\]/.test(text)) return null;
  const words = expand(text, 0);
  return words !== null && words.length <= LIMITS.maxBraceWords ? words : null;
}

function expand(text: string, depth: number): string[] | null {
  if (depth > 8) return null;
  const group = findGroup(text);
  if (group === null) return mayHoldBraces(text) ? null : [text];
  const heads = text.slice(0, group.start);
  const items = group.isSequence ? sequence(text.slice(group.start + 1, group.end)) : group.items;
  const tails = expand(text.slice(group.end + 1), depth + 1);
  if (items === null || tails === null) return null;
  const words: string[] = [];
  for (const item of items) {
    const inner = group.isSequence ? [item] : expand(item, depth + 1);
    if (inner === null) return null;
    for (const middle of inner) for (const tail of tails) words.push(heads + middle + tail);
    if (words.length > LIMITS.maxBraceWords) return null;
  }
  return words;
}

/** Whether a text looks as if bash expanded braces in it. */
export function mayHoldBraces(text: string): boolean {
  const open = text.indexOf("{");
  if (open < 0) return false;
  const close = text.lastIndexOf("}");
  if (close < open) return false;
  const comma = text.indexOf(",", open);
  const dots = text.indexOf("..", open);
  return (comma >= 0 && comma < close) || (dots >= 0 && dots < close);
}

type Group = { readonly start: number; readonly end: number; readonly items: readonly string[]; readonly isSequence: boolean };

/** The first brace list or sequence of a text, outside of quotes. */
function findGroup(text: string): Group | null {
  for (let start = skipQuotes(text, 0); start < text.length; start = skipQuotes(text, start + 1)) {
    if (text[start] !== "{") continue;
    const group = readGroup(text, start);
    if (group !== null) return group;
  }
  return null;
}

function readGroup(text: string, start: number): Group | null {
  const items: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = skipQuotes(text, start + 1); at < text.length; at = skipQuotes(text, at + 1)) {
    const character = text[at];
    if (character === "{") depth += 1;
    else if (character === "," && depth === 0) {
      items.push(text.slice(from, at));
      from = at + 1;
    } else if (character === "}") {
      if (depth > 0) {
        depth -= 1;
        continue;
      }
      if (items.length > 0) return { start, end: at, items: [...items, text.slice(from, at)], isSequence: false };
      return text.slice(start + 1, at).includes("..") ? { start, end: at, items: [], isSequence: true } : null;
    }
  }
  return null;
}

/** The position at or after `at` that is not inside quotes. */
function skipQuotes(text: string, at: number): number {
  let position = at;
  while (text[position] === "'" || text[position] === '"') {
    const close = text.indexOf(text[position] ?? "", position + 1);
    if (close < 0) return text.length;
    position = close + 1;
  }
  return position;
}

function sequence(text: string): string[] | null {
  const match = /^(-?\d{1,6})\.\.(-?\d{1,6})$/.exec(text);
  if (match === null) return letters(text);
  const [from, to] = [match[1] ?? "", match[2] ?? ""];
  if (/^-?0\d/.test(from) || /^-?0\d/.test(to)) return null;
  return range(Number(from), Number(to))?.map(String) ?? null;
}

function letters(text: string): string[] | null {
  const match = /^([a-z])\.\.([a-z])$|^([A-Z])\.\.([A-Z])$/.exec(text);
  if (match === null) return null;
  const from = (match[1] ?? match[3] ?? "").charCodeAt(0);
  const to = (match[2] ?? match[4] ?? "").charCodeAt(0);
  return range(from, to)?.map((code) => String.fromCharCode(code)) ?? null;
}

function range(from: number, to: number): number[] | null {
  const length = Math.abs(to - from) + 1;
  if (length > LIMITS.maxBraceWords) return null;
  const step = to < from ? -1 : 1;
  return Array.from({ length }, (_, index) => from + index * step);
}
