import type { Span } from "../model/model.ts";

/** A text with positions of its own. */
export type Source = {
  readonly id: number;
  readonly text: string;
  /** The words of the analysed text that hold this text; null for the analysed text itself. */
  readonly outer: Span | null;
  /** Where substitutions were visited; null when the text holds none. */
  readonly visited: Set<number> | null;
  /** Where a substitution is quoted, and so is none. */
  readonly exempt: Span[];
};

const DOLLAR = 36;
const OPEN = 40;
const BRACKET = 91;
const BACKSLASH = 92;
const BACKTICK = 96;

/**
 * Every `$(`, `$[` and backtick of a source that is not escaped and not quoted must have been visited
 * as a node. Where one was not, the parser and bash disagree: `` a=(x)`id` `` and `${x['$(id)']}` were
 * found so.
 */
export function findUncovered({ text, visited, exempt }: Source): number | null {
  if (visited === null) return null;
  let backslashes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) {
      backslashes += 1;
      continue;
    }
    const isEscaped = backslashes % 2 === 1;
    backslashes = 0;
    if (!opensSubstitution(text, at, code)) continue;
    if (isExempt(exempt, at) || visited.has(at) || isEscaped) continue;
    return at;
  }
  return null;
}

function opensSubstitution(text: string, at: number, code: number): boolean {
  if (code === BACKTICK) return true;
  if (code !== DOLLAR) return false;
  const next = text.charCodeAt(at + 1);
  return next === OPEN || next === BRACKET;
}

function isExempt(exempt: readonly Span[], at: number): boolean {
  for (const span of exempt) if (at >= span.start && at < span.end) return true;
  return false;
}

/** Notes that the substitution between two positions was visited; a backtick closes with a backtick. */
export function markVisited({ source }: { readonly source: Source }, node: { readonly pos: number; readonly end: number }): void {
  const { visited } = source;
  if (visited === null) return;
  visited.add(node.pos);
  if (source.text.charCodeAt(node.pos) === BACKTICK) visited.add(node.end - 1);
}

/** Notes that a part is quoted, so that what looks like a substitution in it is plain text. */
export function markQuoted({ source }: { readonly source: Source }, node: { readonly pos: number; readonly end: number }): void {
  if (source.visited !== null) source.exempt.push({ start: node.pos, end: node.end });
}
