import { isHot } from "../state/hot-variables.ts";
import { noteAssignment } from "../state/variable-uses.ts";
import type { Span } from "../model/model.ts";
import type { State } from "../state/state.ts";
import { noteStop } from "../state/failures.ts";
import { knownValue } from "../state/variables.ts";
import type { Scope } from "../state/walk.ts";
import { addUndecidable, placeOf } from "../state/scope.ts";

// Names, numbers, operators and blanks; quotes, backslashes and substitutions are handled one by one.
const TOKEN =
  /\s+|\$\{#?([A-Za-z_]\w*)(?:\[[@*]\])?\}|\$([A-Za-z_]\w*)|\$[#?$]|\$\{#\}|\$\(\(|[A-Za-z_]\w*|\d+#[\w@]+|0[xX][\dA-Fa-f]+|\d+|<<=|>>=|[-+*/%&|^]=|\+\+|--|&&|\|\||<<|>>|[<>=!]=|\*\*|[-+*/%<>=!&|^~?:,()[\]]/y;

/** An expansion right behind a part of an operator; `${#x}` and `$?` are digits. */
const BEHIND_OPERATOR = /[-+<>]\$(?!\{#|\?)\{?(\w*)/g;

/**
 * Reads a text that bash evaluates as arithmetic. Bash evaluates the values of variables again, with the
 * substitutions in them, and no quote protects a subscript: so only plain arithmetic is decided, and the
 * variables in it must hold numbers wherever the script sets them.
 */
export function readArithmetic(scope: Scope, text: string, span: Span, state: State): void {
  // A subscript that is no number ends the line, also where nothing else of the calculation would.
  if (text.includes("[")) noteStop(scope, state);
  TOKEN.lastIndex = 0;
  const assigns = /(?<![=!<>])=(?!=)|\+\+|--/.test(text) || /<<=|>>=/.test(text) || mayCompleteOperator(scope, text, state);
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) {
      addUndecidable(scope, "arithmetic", span);
      return;
    }
    const name = match[1] ?? match[2] ?? (/^[A-Za-z_]/.test(match[0]) ? match[0] : null);
    if (name === null || match[0].startsWith("${#")) continue;
    const end = TOKEN.lastIndex;
    // What stands right behind a name makes another name of it: `a$x` is a1, whose text is evaluated.
    if (name === match[0] && text.startsWith("$", end)) {
      addUndecidable(scope, "arithmetic", span);
      return;
    }
    if (text.startsWith("[", end)) scope.walk.ledger.arrays.add(name);
    readName(scope, { name, at, span }, assigns);
    TOKEN.lastIndex = end;
  }
}

/** Whether a value may make an operator that assigns: a negative one makes `y--5` of `y-$x`, and an empty one `--y` of `-$x-y`. */
function mayCompleteOperator(scope: Scope, text: string, state: State): boolean {
  return [...text.matchAll(BEHIND_OPERATOR)].some(([, name = ""]) => !/^\d+$/.test(knownValue(scope, name, state) ?? ""));
}

/**
 * The same for a text that was in no parser's hands, such as a word of `let`: what begins as `$((` in it is a substitution to bash where its parentheses
 * do not close together (`a[$((id) )]`).
 */
export function readCalculatedText(scope: Scope, text: string, span: Span, state: State): void {
  if (text.includes("$((")) addUndecidable(scope, "arithmetic", span);
  else readArithmetic(scope, text, span, state);
}

function readName(scope: Scope, use: { readonly name: string; readonly at: number; readonly span: Span }, assigns: boolean): void {
  const { ledger } = scope.walk;
  if (!ledger.arithmetic.has(use.name)) ledger.arithmetic.set(use.name, use.span);
  if (!assigns) return;
  if (isHot(use.name, null)) addUndecidable(scope, "hot-variable", use.span);
  noteAssignment(ledger, use.name, placeOf(scope, `arithmetic ${use.span.start}:${use.at}`));
}

/** Reads an array subscript, of which only names, numbers, `@` and `*` are decided. */
export function readSubscript(scope: Scope, text: string, span: Span, state: State): void {
  if (text === "@" || text === "*") return;
  noteStop(scope, state);
  if (/^[\w$+\-{} ]+$/.test(text)) readArithmetic(scope, text, span, state);
  else addUndecidable(scope, "subscript", span);
}
