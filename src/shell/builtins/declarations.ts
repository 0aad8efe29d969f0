import { readCalculatedText } from "../words/arithmetic.ts";
import { isHot } from "../state/hot-variables.ts";
import { isInFunction, addUndecidable } from "../state/scope.ts";
import type { Span, Word } from "../model/model.ts";
import type { Command } from "../text/parse.ts";
import type { State } from "../state/state.ts";
import { flowOf } from "../state/state.ts";
import { assign, isName, recordAssignment } from "../state/variables.ts";
import type { Assigned } from "../state/variables.ts";
import type { Scope } from "../state/walk.ts";
import type { Builtin, BuiltinCall } from "./builtin.ts";
import { mayBeOption, positionOf, textOf } from "./builtin.ts";
import { showEnvironment } from "./inert.ts";

/** `export`, `declare`, `typeset`, `local`, `readonly`. */
export const declaring: Builtin = (scope, call, state) => {
  let flags = call.simple.program === "export" ? "x" : call.simple.program === "readonly" ? "r" : "";
  let at = 0;
  for (; at < call.words.length; at += 1) {
    const word = call.words[at];
    const text = textOf(word);
    if (text === "--") at += 1;
    if (text === null || text === "--" || !/^[-+]./.test(text)) break;
    if (text.startsWith("-")) flags += text.slice(1);
    if (isRefused(call.simple.program, text)) flags += REFUSED;
  }
  const words = call.words.slice(at);
  if (flags.includes("n") && call.simple.program !== "export") addUndecidable(scope, "indirect-expansion", call.simple.span, call.index);
  // What other shells make of the others is their own: `export -T` of zsh binds two variables to each other.
  if (scope.dialect === "sh" && !/^[xrgpfn-]*$/.test(flags)) addUndecidable(scope, "unsupported-syntax", call.simple.span, call.index);
  // Behind `\export` and `command export` dash and bash do not agree whether `x=$y` is an assignment or words.
  const isWritten = call.node?.name?.text === call.simple.program;
  if (scope.dialect !== "bash" && !isWritten && words.some((word) => textOf(word)?.includes("=") !== false))
    addUndecidable(scope, "unsupported-syntax", call.simple.span, call.index);
  if (/[fF]/.test(flags)) {
    if (flags.includes("x")) addUndecidable(scope, "function-override", call.simple.span, call.index);
    return flowOf(state);
  }
  if (words.length === 0) return showEnvironment(scope, call, state);
  let after = state;
  for (const word of words) after = declareWord(scope, { word, flags: flags.replaceAll("-", ""), call }, after);
  return flowOf(after);
};

/** Among the flags: an option that bash does not know, with which it assigns nothing. */
const REFUSED = "?";
const OPTIONS = new Map([
  ["export", /^-[fnp]+$|^\+/],
  ["readonly", /^-[aAfp]+$|^\+/],
]);

/** A plus makes no option of a word of `export` and `readonly`, but a name that is none. */
function isRefused(program: string | null, text: string): boolean {
  return !(OPTIONS.get(program ?? "") ?? /^(?:-[aAfFgiIlnprtux]+|\+[aAfFgiIlnrtux]+)$/).test(text);
}

type Declared = { readonly word: Word; readonly flags: string; readonly call: BuiltinCall };

function declareWord(scope: Scope, declared: Declared, state: State): State {
  const { word, flags, call } = declared;
  const { ledger } = scope.walk;
  const text = word.kind === "literal" ? word.value : word.kind === "dynamic" ? word.prefix : "";
  const match = /^([A-Za-z_]\w*)(\+?=)([^]*)$/.exec(text);
  const name = match?.[1] ?? (word.kind === "literal" && isName(text) ? text : null);
  if (name === null) {
    addUndecidable(scope, word.kind === "literal" ? "subscript" : "hot-variable", word.span, call.index);
    return state;
  }
  const isArray = hasArrayValue(call.node, name);
  const rest = match?.[3] ?? "";
  const value: Word | null = isArray ? null : word.kind === "literal" ? { ...word, value: rest } : word.kind === "dynamic" ? { ...word, prefix: rest } : null;
  if (flags.includes("x")) ledger.exported.set(name, word.span);
  if (/[aA]/.test(flags) || isArray) ledger.arrays.add(name);
  // The value of an array is expanded once more when it looks like `(…)`.
  if (!isArray && match !== null && (word.kind !== "literal" || rest.startsWith("("))) ledger.declared.set(name, word.span);
  if (/[ir]/.test(flags)) scope.walk.found.mayStopAnywhere = true;
  if (flags.includes("i")) readInteger(scope, { name, text: word.kind === "literal" ? rest : null, span: word.span }, state);
  if (match === null && call.simple.program === "export") {
    // `export -n` takes it from every program, as `unset` does.
    if (flags.includes("n") && isHot(name, null)) addUndecidable(scope, "hot-variable", word.span, call.index);
    return state;
  }
  const assigned: Assigned = { name, value, span: word.span, position: positionOf(call, word) };
  // Outside of functions `local` fails.
  const isLost = call.simple.program === "local" && !isInFunction(scope);
  // In the second round of a loop it fails.
  const isRepeated = flags.includes("r") && scope.contexts.includes("loop");
  if (!isLost && !isRepeated && match?.[2] === "=" && /^[xrg]*$/.test(flags) && value !== null) return assign(scope, assigned, state);
  recordAssignment(scope, match?.[2] === "+=" ? { ...assigned, value: null } : assigned);
  return state;
}

function readInteger(scope: Scope, integer: { readonly name: string; readonly text: string | null; readonly span: Span }, state: State): void {
  scope.walk.ledger.arithmetic.set(integer.name, integer.span);
  if (integer.text === null) addUndecidable(scope, "arithmetic", integer.span);
  else readCalculatedText(scope, integer.text, integer.span, state);
}

function hasArrayValue(node: Command | null, name: string): boolean {
  return node?.suffix.some((child) => child.type === "Assignment" && child.name === name && child.value.type === "ArrayValue") ?? false;
}

/** `unset`: takes a variable or a function away. */
export const unset: Builtin = (scope, call, state) => {
  const { walk } = scope;
  // Behind the first name nothing is an option.
  const firstName = call.words.findIndex((word) => !/^-[fvn]+$/.test(textOf(word) ?? ""));
  const names = firstName < 0 ? [] : call.words.slice(firstName);
  const flags = call.words
    .slice(0, call.words.length - names.length)
    .map(textOf)
    .join("");
  for (const word of names) {
    const text = textOf(word);
    if (text === null || mayBeOption(word)) addUndecidable(scope, "hot-variable", word.span, call.index);
    else removeName(scope, { name: text, flags, span: word.span, position: positionOf(call, word) });
    if (flags.includes("f") || (text !== null && walk.assumptions.functions.has(text))) walk.found.functionsVanish = true;
  }
  return flowOf(state);
};

function removeName(scope: Scope, removed: { readonly name: string; readonly flags: string; readonly span: Span; readonly position: string }): void {
  if (removed.flags.includes("f")) return;
  const { name, span } = removed;
  if (!isName(name)) addUndecidable(scope, "subscript", span);
  else if (isHot(name, null)) addUndecidable(scope, "hot-variable", span);
  else recordAssignment(scope, { name, value: { kind: "literal", value: "", quoted: true, span }, span, position: removed.position });
}
