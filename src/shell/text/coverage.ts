import type { Scope } from "../state/walk.ts";
import { addUndecidable, spanOf } from "../state/walk.ts";

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
export function checkCoverage(scope: Scope): void {
  const { text, visited } = scope.source;
  if (visited === null) return;
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
    if (isExempt(scope, at) || visited.has(at) || isEscaped) continue;
    addUndecidable(scope, "uncovered-substitution", spanOf(scope, { pos: at, end: Math.min(text.length, at + 20) }));
    return;
  }
}

function opensSubstitution(text: string, at: number, code: number): boolean {
  if (code === BACKTICK) return true;
  if (code !== DOLLAR) return false;
  const next = text.charCodeAt(at + 1);
  return next === OPEN || next === BRACKET;
}

function isExempt(scope: Scope, at: number): boolean {
  for (const span of scope.source.exempt) if (at >= span.start && at < span.end) return true;
  return false;
}

/** Notes that the substitution between two positions was visited; a backtick closes with a backtick. */
export function markVisited(scope: Scope, node: { readonly pos: number; readonly end: number }): void {
  const { visited } = scope.source;
  if (visited === null) return;
  visited.add(node.pos);
  if (scope.source.text.charCodeAt(node.pos) === BACKTICK) visited.add(node.end - 1);
}

/** Notes that a part is quoted, so that what looks like a substitution in it is plain text. */
export function markQuoted(scope: Scope, node: { readonly pos: number; readonly end: number }): void {
  if (scope.source.visited !== null) scope.source.exempt.push({ start: node.pos, end: node.end });
}
