import { findUncovered } from "../text/coverage.ts";
import { isPortable, recipeText } from "../text/dialect.ts";
import { readCharacters } from "../text/characters.ts";
import type { Span } from "../model/model.ts";
import { parseScript } from "../text/parse.ts";
import type { ParsedScript } from "../text/parse.ts";
import type { Flow, State } from "../state/state.ts";
import { flowOf } from "../state/state.ts";
import { visitStatements } from "./statements.ts";
import { findStray } from "../text/grammar/grammar.ts";
import { visitLines } from "./lines.ts";
import type { NestedText, Scope, Walk } from "../state/walk.ts";
import type { Source } from "../text/coverage.ts";
import { addUndecidable, shared, spanOf } from "../state/scope.ts";

/** Reads a text as a script: its characters first, then its syntax, then whether nothing was overlooked. */
export function visitText(scope: Scope, nested: NestedText, state: State): Flow {
  const text = nested.dialect === "make" ? recipeText(nested.text) : nested.text;
  if (text === null) {
    addUndecidable(scope, "unsupported-syntax", nested.span);
    return flowOf(state);
  }
  const dialect = nested.dialect === "make" ? "sh" : nested.dialect;
  return visitSource({ ...scope, dialect }, { text, outer: nested.span }, state);
}

/** Reads one source: the analysed text itself (`outer` is null), or a text within it. */
export function visitSource(scope: Scope, from: { readonly text: string; readonly outer: Span | null }, state: State): Flow {
  const { text, outer } = from;
  // Asked of joined lines once more: `[\⏎[` is what `[[` is.
  if (outer !== null && scope.dialect !== "bash" && !isPortable(text, scope.via)) addUndecidable(scope, "unsupported-syntax", outer);
  const characters = readCharacters(text);
  // A continuation joins the lines of a here-document before its end is looked for.
  if (characters.problem === null && text.includes("<<") && text.includes("\\\n")) {
    const joined = joinLines(text);
    if (joined !== null) return visitSource(scope, { text: joined, outer: outer ?? { start: 0, end: text.length } }, state);
  }
  if (characters.problem !== null) {
    const { at, code } = characters.problem;
    const joined = code === "line-continuation" ? joinLines(text) : null;
    if (joined !== null) return visitSource(scope, { text: joined, outer: outer ?? { start: 0, end: text.length } }, state);
    addUndecidable(scope, code, outer ?? { start: at, end: Math.min(text.length, at + 1) });
    if (outer === null) scope.walk.hasParseError = true;
    return flowOf(state);
  }
  const inner: Scope = { ...scope, stdin: shared(scope.stdin), source: createSource(scope.walk, text, { outer, hasSubstitution: characters.hasSubstitution }) };
  // Bash keeps a backslash at the end of the text, or drops it, by what stands before.
  if (text.endsWith("\\") && /(?<!\\)(?:\\\\)*\\$/.test(text))
    addUndecidable(inner, "line-continuation", spanOf(inner, { pos: text.length - 1, end: text.length }));
  const script = parseScript(text);
  const flow = visitLines(inner, script.commands, state);
  checkErrors(inner, script);
  checkCoverage(inner);
  checkStructure(inner, script);
  return flow;
}

/** The parser must have seen every substitution. */
function checkCoverage(scope: Scope): void {
  const at = findUncovered(scope.source);
  if (at === null) return;
  const end = Math.min(scope.source.text.length, at + 20);
  addUndecidable(scope, "uncovered-substitution", spanOf(scope, { pos: at, end }));
}

/**
 * The text with its continued lines joined, as bash joins them before it looks for words. Null where a quote, a comment
 * or a here-document with a quoted end may keep a continuation as text, where backticks take backslashes away first, and where two
 * parentheses may be read twice, of which the second time keeps it.
 */
function joinLines(text: string): string | null {
  if (/['#`]|\\$/.test(text)) return null;
  const joined = text.replace(/(?<!\\)((?:\\\\)*)\\\n/g, "$1");
  return joined.includes("\\\n") || joined.includes("((") || QUOTED_END.test(joined) ? null : joined;
}

/** A here-document whose end is anything but a plain word. */
const QUOTED_END = /(?<!<)<<(?!<|-?[ \t]*\w+(?:[\s;&|()<>]|$))/;

function createSource(walk: Walk, text: string, of: { readonly outer: Span | null; readonly hasSubstitution: boolean }): Source {
  walk.sources += 1;
  return { id: walk.sources, text, outer: of.outer, visited: of.hasSubstitution ? new Set() : null, exempt: [] };
}

/** Reads the script of a substitution, which was parsed with the text around it. */
export function visitScript(scope: Scope, script: ParsedScript, state: State): Flow {
  const flow = visitStatements(scope, script.commands, state);
  checkErrors(scope, script);
  return flow;
}

/** Nothing is added to what is not decided anyway. */
function checkStructure(scope: Scope, script: ParsedScript): void {
  if (scope.walk.undecidable.length > 0) return;
  const { text } = scope.source;
  const at = findStray(text, script);
  if (at !== null) addUndecidable(scope, "parse-error", spanOf(scope, { pos: at, end: Math.min(text.length, at + 20) }));
}

/** Errors of nested scripts are only known once everything below was visited. */
function checkErrors(scope: Scope, script: ParsedScript): void {
  const error = script.errors?.[0];
  if (error === undefined) return;
  const at = Math.min(error.pos, scope.source.text.length);
  addUndecidable(scope, "parse-error", spanOf(scope, { pos: at, end: Math.min(scope.source.text.length, at + 20) }));
  if (scope.source.outer === null) scope.walk.hasParseError = true;
}
