import { readCalculatedText } from "../words/arithmetic.ts";
import { checkTestWords } from "../commands/conditions.ts";
import type { Word } from "../model/model.ts";
import { flowOf } from "../state/state.ts";
import { callBack } from "./callbacks.ts";
import { assign, DEFAULT_SEPARATORS, isName, knownValue, recordAssignment } from "../state/variables.ts";
import type { Scope } from "../state/walk.ts";
import { addUndecidable } from "../state/scope.ts";
import type { Builtin, BuiltinCall } from "./builtin.ts";
import { positionOf, textOf } from "./builtin.ts";
import { readOptions } from "./short-options.ts";
import type { ShortOptions } from "./short-options.ts";

/** Notes that a builtin fills a variable whose name is one of its words. */
function fill(scope: Scope, call: BuiltinCall, word: Word): void {
  const name = textOf(word);
  const position = positionOf(call, word);
  if (name === null) addUndecidable(scope, "indirect-expansion", word.span, call.index);
  else if (isName(name)) recordAssignment(scope, { name, value: null, span: word.span, position });
  else addUndecidable(scope, "subscript", word.span, call.index);
}

export const read: Builtin = (scope, call, state) => {
  const options = readOptions(call.words, "adinNptu");
  if (options === null) addUndecidable(scope, "indirect-expansion", call.simple.span, call.index);
  const array = options?.values.get("a");
  if (array !== undefined && array !== null) {
    fill(scope, call, array);
    scope.walk.ledger.arrays.add(textOf(array) ?? "");
  }
  const line = options === null || knownValue(scope, "IFS", state) !== DEFAULT_SEPARATORS ? null : knownLine(call, options);
  const [only] = options?.operands ?? [];
  const name = textOf(only);
  if (line !== null && only !== undefined && name !== null && isName(name)) {
    const value = { ...only, kind: "literal", value: line, quoted: true } as const;
    return flowOf(assign(scope, { name, value, span: only.span, position: positionOf(call, only) }, state));
  }
  for (const word of options?.operands ?? []) fill(scope, call, word);
  return flowOf(state);
};

/** What `read NAME <<< text` gives: the first line without the blanks around it. A backslash means more, and several names share it. */
function knownLine(call: BuiltinCall, options: ShortOptions): string | null {
  const { stdin, assignments } = call.simple;
  if (stdin.kind !== "text" || stdin.text.kind !== "literal" || assignments.length > 0) return null;
  if (options.operands.length !== 1 || [...options.values.keys()].some((letter) => letter !== "r") || stdin.text.value.includes("\\")) return null;
  return (stdin.text.value.split("\n")[0] ?? "").replace(/^[ \t]+|[ \t]+$/g, "");
}

/** `mapfile`, `readarray`. */
export const readLines: Builtin = (scope, call, state) => {
  const options = readOptions(call.words, "dnOsuCc");
  if (options === null) addUndecidable(scope, "evaluated-text", call.simple.span, call.index);
  const callback = options?.values.get("C");
  for (const word of options?.operands ?? []) {
    fill(scope, call, word);
    scope.walk.ledger.arrays.add(textOf(word) ?? "");
  }
  // Bash adds the number of the line and the line.
  return callback === undefined ? flowOf(state) : callBack(scope, call, { callback, words: `"$_" "$_"`, state });
};

export const print: Builtin = (scope, call, state) => {
  const options = readOptions(call.words, "v");
  const variable = options?.values.get("v");
  if (options === null) addUndecidable(scope, "subscript", call.simple.span, call.index);
  else if (variable !== undefined && variable !== null) fill(scope, call, variable);
  const [format, ...words] = options?.operands ?? [];
  if (format !== undefined && mayCount(format)) for (const word of words) fillCount(scope, call, word);
  return flowOf(state);
};

/** Whether a format may hold `%n`, which puts the number of characters so far into the variable that a word names. */
function mayCount(format: Word): boolean {
  return format.kind !== "literal" || /%[^%a-zA-Z]*[hlLjzt]*n/.test(format.value.replaceAll("%%", ""));
}

function fillCount(scope: Scope, call: BuiltinCall, word: Word): void {
  const start = word.kind === "literal" ? word.value : word.kind === "dynamic" ? word.prefix : "";
  if (word.kind === "literal" ? !isName(start) : !/^\w*$/.test(start)) return;
  if (word.kind !== "literal") addUndecidable(scope, "indirect-expansion", word.span, call.index);
  else recordAssignment(scope, { name: start, value: { ...word, value: "0" }, span: word.span, position: positionOf(call, word) });
}

export const nextOption: Builtin = (scope, call, state) => {
  const options = readOptions(call.words, "");
  const name = options?.operands[1];
  if (options === null) addUndecidable(scope, "indirect-expansion", call.simple.span, call.index);
  else if (name !== undefined) fill(scope, call, name);
  return flowOf(state);
};

export const wait: Builtin = (scope, call, state) => {
  const options = readOptions(call.words, "p");
  const variable = options?.values.get("p");
  if (options === null) addUndecidable(scope, "subscript", call.simple.span, call.index);
  else if (variable !== undefined && variable !== null) fill(scope, call, variable);
  return flowOf(state);
};

export const compute: Builtin = (scope, call, state) => {
  for (const word of call.words) {
    const text = textOf(word);
    if (text === null) addUndecidable(scope, "arithmetic", word.span, call.index);
    else readCalculatedText(scope, text, word.span, state);
  }
  return flowOf(state);
};

/** `[` and `test`. */
export const test: Builtin = (scope, call, state) => {
  const isBracket = call.simple.program === "[";
  const last = textOf(call.words.at(-1));
  checkTestWords(scope, isBracket && last === "]" ? call.words.slice(0, -1) : call.words, call.simple.span);
  return flowOf(state);
};
