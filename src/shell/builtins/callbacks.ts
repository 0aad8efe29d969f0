import { escapeGlob, dynamicWord, patternWord } from "../model/words.ts";
import { repeat } from "../state/repeat.ts";
import { addUndecidable, apart, shared } from "../state/scope.ts";
import { readListings } from "../commands/glob-reads.ts";
import type { Word } from "../model/model.ts";
import { flowOf } from "../state/state.ts";
import type { Flow, State } from "../state/state.ts";
import { noteStop } from "../state/failures.ts";
import type { Scope } from "../state/walk.ts";
import type { Builtin, BuiltinCall } from "./builtin.ts";
import { mayBeOption, textOf } from "./builtin.ts";
import { readOptions } from "./short-options.ts";

type Callback = { readonly callback: Word | null; /** What bash adds to it. */ readonly words: string; readonly state: State };

/** A text that this shell runs as a command, with further words, any number of times. */
export function callBack(scope: Scope, call: BuiltinCall, { callback, words, state }: Callback): Flow {
  const text = textOf(callback ?? undefined);
  // Behind a comment bash loses its place in the text that called it: `f=()` in a later line is refused then.
  if (callback === null || text === null || text.includes("#")) {
    addUndecidable(scope, "evaluated-text", call.simple.span, call.index);
    return flowOf(state);
  }
  const inner: Scope = { ...scope, stdin: shared(call.simple.stdin), depth: scope.depth + 1 };
  const script = { text: `${text} ${words}`, span: callback.span, dialect: scope.dialect };
  return repeat(scope, state, (entry) => scope.walk.visitors.visitText(inner, script, entry));
}

// Words without a meaning for the shell, variables, and substitutions of plain words.
const WORD_LIST = /^(?:[\w ./:=@%+,-]|\$\w+|\$\([\w ./-]+\))*$/;

/** `compgen`: runs a command (`-C`) or a function (`-F`) with three words, expands a list (`-W`), and names files. */
export const generate: Builtin = (scope, call, state) => {
  const options = readOptions(call.words, "oAGWPSXFC");
  if (options === null || options.operands.length > 1) {
    addUndecidable(scope, "evaluated-text", call.simple.span, call.index);
    return flowOf(state);
  }
  const { values, operands } = options;
  if (LISTING.some((letter) => values.has(letter))) listNames(scope, call, completing(scope, operands[0]), state);
  if (values.has("G")) listNames(scope, call, textOf(values.get("G") ?? undefined), state);
  const [command, called, list] = [values.get("C"), values.get("F"), values.get("W")];
  if (command !== undefined) apart(scope.walk, () => callBack(scope, call, { callback: command, words: '"$_" "$_" "$_"', state }));
  if (list !== undefined) expandList(scope, call, list, state);
  // Where the function fails, the line of `compgen` ends, and the shell stands where the function left it.
  if (called !== undefined) noteStop(scope, { ...state, directories: null });
  return called === undefined ? flowOf(state) : callBack(scope, call, { callback: called, words: '"$_" "$_" "$_"', state });
};

/** Options of `compgen` that may name files; of several `-A` and `-o` all count. */
const LISTING = ["f", "d", "c", "A", "o"];

/** Reads the names in a directory, as the pattern does that finds them; null for one that is not known. */
function listNames(scope: Scope, { index, simple: { span } }: BuiltinCall, glob: string | null, state: State): void {
  const word: Word = glob === null ? dynamicWord("parameter", "", span, { isPattern: true }) : patternWord(glob, span);
  readListings(scope, [word], { index, from: scope.walk.effects.length, state });
}

/** What completes a word, as a pattern; a tilde at its beginning is a home. */
function completing({ home }: Scope, word: Word | undefined): string | null {
  const text = word === undefined ? "" : textOf(word);
  if (text === null || (text.startsWith("~") && (home === null || !text.startsWith("~/")))) return null;
  const path = text.startsWith("~") ? `${home}${text.slice(1)}` : text;
  return `${escapeGlob(path.slice(0, path.lastIndexOf("/") + 1))}*`;
}

function expandList(scope: Scope, call: BuiltinCall, list: Word | null, state: State): void {
  const text = textOf(list ?? undefined);
  if (list === null || text === null || !WORD_LIST.test(text)) addUndecidable(scope, "evaluated-text", call.simple.span, call.index);
  else if (text.includes("$"))
    scope.walk.visitors.visitText({ ...scope, depth: scope.depth + 1 }, { text: `: ${text}`, span: list.span, dialect: scope.dialect }, state);
}

/** `jobs -x COMMAND`: runs it in this shell, with the numbers of processes in the place of `%1`. */
export const jobs: Builtin = (scope, call, state) => {
  const [flag, ...command] = call.words;
  const [first] = command;
  const isPlain = textOf(flag) === "-x" && first !== undefined && !mayBeOption(first) && command.every((word) => textOf(word)?.startsWith("%") === false);
  if (isPlain && !isFunction(scope, textOf(first) ?? ""))
    return scope.walk.visitors.visitArgv({ ...scope, via: [...scope.via, "jobs"], stdin: call.simple.stdin, depth: scope.depth + 1 }, command, state);
  if (call.words.some((word) => mayBeOption(word) && !/^-[lnprs]+$/.test(textOf(word) ?? "-x")))
    addUndecidable(scope, "evaluated-text", call.simple.span, call.index);
  return flowOf(state);
};

function isFunction({ walk }: Scope, name: string): boolean {
  return walk.found.noted?.functions.has(name) === true || walk.assumptions.functions.has(name);
}
