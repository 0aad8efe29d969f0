import type { Word } from "../model/model.ts";
import { isTrustedForNumbers } from "../words/printed-numbers.ts";
import { boundedWords, shifted } from "../state/parameters.ts";
import { flowOf, mergeStates } from "../state/state.ts";
import type { Flow, State } from "../state/state.ts";
import { noteErrorTrap, noteLosing, noteVanishing } from "../state/variables.ts";
import type { Scope } from "../state/walk.ts";
import { addUndecidable } from "../state/scope.ts";
import type { Builtin, BuiltinCall } from "./builtin.ts";
import { mayBeOption, textOf } from "./builtin.ts";
import { noteExcess, showEnvironment } from "./inert.ts";

// Options that change neither how the rest is read nor what reaches a program's environment. With `functrace` a trap prints into substitutions.
const SET_LETTERS = /^[euxvfCbEmhn]*$/;
const SET_NAMES = new Set(["errexit", "nounset", "xtrace", "verbose", "noglob", "noclobber", "notify", "errtrace", "monitor", "hashall", "noexec", "pipefail"]);

export const set: Builtin = (scope, call, state) => {
  if (call.words.length === 0) return showEnvironment(scope, call, state);
  let at = 0;
  let isClear = true;
  for (; at < call.words.length; at += 1) {
    const word = call.words[at];
    if (word === undefined) break;
    const text = textOf(word);
    if (text === null) {
      if (mayBeOption(word) || couldBePlus(word)) addUndecidable(scope, "shell-option", word.span, call.index);
      break;
    }
    if (text === "--" || text === "-" || !/^[-+]/.test(text)) break;
    if (text === "+") isClear = false;
    const letters = text.slice(1).replace("o", "");
    if (!SET_LETTERS.test(letters)) addUndecidable(scope, "shell-option", word.span, call.index);
    if (letters.includes("E")) noteErrorTrap(scope, "errtrace");
    if (!text.includes("o")) continue;
    at += 1;
    const name = call.words[at];
    if (textOf(name) === "errtrace") noteErrorTrap(scope, "errtrace");
    if (name !== undefined && !SET_NAMES.has(textOf(name) ?? "")) addUndecidable(scope, "shell-option", name.span, call.index);
  }
  const end = textOf(call.words[at]);
  const operands = call.words.slice(end === "--" || end === "-" ? at + 1 : at);
  if (operands.length === 0 && end !== "--") return flowOf(state);
  return setParameters(scope, call, { state, words: isClear ? operands : null });
};

/** `shift`: takes the first parameters away. */
export const shift: Builtin = (scope, call, state) => {
  const text = call.words.length === 0 ? "1" : call.words.length === 1 ? textOf(call.words[0]) : null;
  const isKnown = text !== null && /^\d{1,4}$/.test(text);
  noteExcess(scope, call, state);
  return setParameters(scope, call, { state, words: isKnown ? shifted(state.positional.words, Number(text)) : null });
};

/** A redirection or an assignment that fails keeps the builtin from running; behind `command` they belong to it. */
function setParameters(scope: Scope, call: BuiltinCall, to: { readonly state: State; readonly words: readonly Word[] | null }): Flow {
  const { walk } = scope;
  const { state } = to;
  walk.shifts += 1;
  const after: State = { ...state, positional: { ...state.positional, words: walk.assumptions.trapsShift ? null : boundedWords(to.words) } };
  const isCertain = call.node !== null && call.simple.redirections.length === 0 && call.simple.assignments.length === 0;
  return flowOf(isCertain ? after : (mergeStates(after, state) ?? after));
}

function couldBePlus(word: Word): boolean {
  return word.kind === "dynamic" && word.prefix.startsWith("+");
}

const SHOPT_NAMES = new Set(["nullglob", "failglob", "inherit_errexit", "checkwinsize", "huponexit", "sourcepath", "xpg_echo"]);
const SHOPT_OFF = new Set(["extglob", "globstar", "dotglob", "nocaseglob", "nocasematch", "expand_aliases", "lastpipe", "cdspell", "autocd", "cdable_vars"]);

export const shopt: Builtin = (scope, call, state) => {
  const flags = call.words
    .map(textOf)
    .filter((text) => text?.startsWith("-") === true)
    .join("");
  for (const word of call.words) {
    const text = textOf(word);
    if (text?.startsWith("-") === true && /^-[pqsu]+$/.test(text)) continue;
    if (text === "nullglob") noteVanishing(scope);
    if (text === "failglob") scope.walk.found.mayStopAnywhere = true;
    const isAllowed = text !== null && (SHOPT_NAMES.has(text) || (SHOPT_OFF.has(text) && !flags.includes("s")) || !/[su]/.test(flags));
    if (!isAllowed) addUndecidable(scope, "shell-option", word.span, call.index);
  }
  return flowOf(state);
};

/** Limits on memory, time and files, of which a substitution needs more than the shell that waits for it, and a long here-document one in a file. Without a letter it is `-f`. */
const ENDING = /[dfmnstv]|^(?:-[HS]*)*$/;

/** Fewer files or processes than bash itself needs for pipes, substitutions and here-documents. */
const FEW = /^0*\d{1,2}$/;

/** `ulimit`: where bash can open no file, or start no process, a substitution gives nothing and a line ends early. */
export const limit: Builtin = (scope, call, state) => {
  const texts = call.words.map((word) => textOf(word) ?? "0");
  const letters = texts.map((text) => (text.startsWith("-") ? text.replace(/\d+$/, "") : "")).join("");
  const values = texts.map((text) => (text.startsWith("-") ? (/\d+$/.exec(text)?.[0] ?? "") : text));
  const isTight = /u/.test(letters) ? values.some((value) => /^\d/.test(value)) : /n/.test(letters) && values.some((value) => FEW.test(value));
  if (ENDING.test(letters) && values.some((value) => /^\d/.test(value))) noteLosing(scope);
  if (isTight || call.words.some((word) => word.kind !== "literal" && mayBeOption(word))) addUndecidable(scope, "shell-option", call.simple.span, call.index);
  return flowOf(state);
};

/** `alias`: off in a script of bash, but for an option that is undecidable itself; on in other shells, and in bash that plays one. */
export const alias: Builtin = (scope, call, state) => {
  if (scope.dialect === "bash" && !scope.contexts.includes("nested-shell")) return flowOf(state);
  if (call.words.some((word) => textOf(word)?.includes("=") !== false)) addUndecidable(scope, "alias", call.simple.span, call.index);
  return flowOf(state);
};

/** `enable` and `hash`: may put another program in the place of a name. A name that `enable` does not know, it loads from a file, also of this directory. */
export const override: Builtin = (scope, call, state) => {
  const isHash = call.simple.program === "hash";
  if (isHash && noteHashed(scope, call.words)) return flowOf(state);
  const safe = isHash ? /^(?:-[rltd]+|\w[\w.+-]*)$/ : /^-[aps]+$/;
  if (!call.words.every((word) => word.kind === "literal" && safe.test(word.value))) addUndecidable(scope, "function-override", call.simple.span, call.index);
  return flowOf(state);
};

/** `hash -p PATH NAME`: this shell runs PATH where a command is called NAME. */
function noteHashed(scope: Scope, words: readonly Word[]): boolean {
  const { hashed } = scope.walk.found.names;
  const [flag, path, ...names] = words.map(textOf);
  if (flag !== "-p" || path === undefined || path === null || !/^\.{0,2}\/[\w./+-]+$/.test(path) || names.length === 0) return false;
  for (const name of names) {
    // What it prints is taken for numbers.
    if (name === null || isTrustedForNumbers(name) || !/^[\w.+-]+$/.test(name) || name.startsWith("-") || (hashed.get(name) ?? path) !== path) return false;
    hashed.set(name, path);
  }
  return true;
}
