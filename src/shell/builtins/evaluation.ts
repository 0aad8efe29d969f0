import { literalPath, pathContext } from "../effects/operands/paths.ts";
import { newEffect } from "../model/effects.ts";
import type { Word } from "../model/model.ts";
import { runExternal } from "../commands/run-program.ts";
import { addEffects } from "../commands/add-command.ts";
import { feedsInput } from "../commands/redirections.ts";
import { boundedWords, UNKNOWN_PARAMETERS } from "../state/parameters.ts";
import { isInFunction, addUndecidable, apart } from "../state/scope.ts";
import { flowOf, mergeStates, NO_VARIABLES } from "../state/state.ts";
import type { Flow, State } from "../state/state.ts";
import { noteErrorTrap, noteLosing } from "../state/variables.ts";
import type { Scope } from "../state/walk.ts";
import type { Builtin, BuiltinCall } from "./builtin.ts";
import { mayBeOption, textOf } from "./builtin.ts";

/** `eval`: its words, joined by blanks, are read as one more script of this shell. */
export const evaluate: Builtin = (scope, call, state) => {
  const isBehindDashes = textOf(call.words[0]) === "--";
  // Dash knows no options of it, and runs a program of that name.
  if (isBehindDashes && scope.dialect !== "bash") addUndecidable(scope, "unsupported-syntax", call.simple.span, call.index);
  const words = isBehindDashes ? call.words.slice(1) : call.words;
  const texts: string[] = [];
  for (const word of words) {
    if (word.kind !== "literal") {
      addUndecidable(scope, "evaluated-text", word.span, call.index);
      return flowOf(state);
    }
    texts.push(word.value);
  }
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return flowOf(state);
  const span = { start: first.span.start, end: Math.max(first.span.end, last.span.end) };
  return scope.walk.visitors.visitText({ ...inner(scope, call), via: scope.via }, { text: texts.join(" "), span, dialect: scope.dialect }, state);
};

/** What no other process sends. */
const PSEUDO_SIGNAL = /^(?:0|(?:SIG)?(?:EXIT|ERR|DEBUG|RETURN))$/i;

/** What resets a signal: a number is a text like others where it is no signal's on some system. */
const RESETS = /^(?:-|0|[1-9]|[12]\d|3[01]|)$/;

/** `trap`: the text runs later, from anywhere in the script. */
export const trap: Builtin = (scope, call, state) => {
  const isBehindDashes = textOf(call.words[0]) === "--";
  const words = isBehindDashes ? call.words.slice(1) : call.words;
  const first = words[0];
  if (first === undefined || words.length === 1) {
    if (first !== undefined && first.kind !== "literal") addUndecidable(scope, "evaluated-text", first.span, call.index);
    return flowOf(state);
  }
  if (first.kind !== "literal") {
    addUndecidable(scope, "evaluated-text", first.span, call.index);
    return flowOf(state);
  }
  if (RESETS.test(first.value) || (!isBehindDashes && /^-[lp]$/.test(first.value))) return flowOf(state);
  if (words.slice(1).some((word) => /^(?:SIG)?ERR$/i.test(textOf(word) ?? "ERR"))) noteErrorTrap(scope, "trap");
  // What the shell survives ends a substitution, for which the trap does not hold.
  if (words.slice(1).some((word) => !PSEUDO_SIGNAL.test(textOf(word) ?? ""))) noteLosing(scope);
  const { walk } = scope;
  const { moves, shifts } = walk;
  walk.found.hasTraps = true;
  // What is local to a function is gone then.
  const variables = isInFunction(scope) ? NO_VARIABLES : state.variables;
  const later = { ...state, variables, positional: UNKNOWN_PARAMETERS, directories: walk.assumptions.laterIsElsewhere ? null : state.directories };
  const within = inner(scope, call);
  apart(walk, () => {
    walk.visitors.visitText(
      { ...within, via: scope.via, stdin: { kind: "inherited" }, contexts: [...scope.contexts, "trap"] },
      { text: first.value, span: first.span, dialect: scope.dialect },
      later,
    );
    if (walk.moves !== moves) walk.found.trapsMove = true;
    if (walk.shifts !== shifts) walk.found.trapsShift = true;
  });
  return flowOf(state);
};

/** `source` and `.`: runs the commands of a file in this shell. */
export const source: Builtin = (scope, call, state) => {
  const file = textOf(call.words[0]) === "--" ? call.words[1] : call.words[0];
  const known = contentOf(file, call);
  if (file !== undefined && known !== null) return visitSourced(scope, call, { text: known, file }, state);
  const text = textOf(file);
  const cause = `\`${call.simple.program ?? ""}\` runs the commands of a file`;
  const span = call.simple.span;
  const path = text !== null && text.includes("/") ? literalPath(text, pathContext(call.simple, scope.walk.context.home)) : undefined;
  addEffects(scope, call.index, [newEffect("runs-code", cause, span, path)]);
  addUndecidable(scope, "sourced-file", span, call.index);
  return flowOf({ ...state, directories: null });
};

const OWN_INPUT = /^\/(?:dev\/(?:stdin|fd\/0)|proc\/self\/fd\/0)$/;

/** What stands in the file of `source`, where the text itself says so. */
function contentOf(file: Word | undefined, call: BuiltinCall): string | null {
  const { stdin } = call.simple;
  const isInput = OWN_INPUT.test(textOf(file) ?? "") && stdin.kind === "text" && stdin.text.kind === "literal";
  return isInput ? stdin.text.value : file?.kind === "dynamic" ? (file.content ?? null) : null;
}

type Sourced = { readonly text: string; readonly file: Word };

/** Words behind the file are its parameters, in bash, until `set` in it gives the shell others. */
function visitSourced(scope: Scope, call: BuiltinCall, { text, file }: Sourced, state: State): Flow {
  const { walk } = scope;
  const { shifts, leaves } = walk;
  const operands = call.words.slice(call.words.indexOf(file) + 1);
  const words = walk.assumptions.trapsShift || scope.dialect !== "bash" ? null : boundedWords(operands);
  const given = operands.length === 0 ? state : { ...state, positional: { ...state.positional, words } };
  const within: Scope = { ...inner(scope, call), via: scope.via, stdin: { kind: "inherited" } };
  const flow = walk.visitors.visitText(within, { text, span: file.span, dialect: scope.dialect }, given);
  const hasSet = walk.shifts !== shifts;
  // `return` ends it early.
  if (walk.leaves !== leaves) addUndecidable(scope, "sourced-file", call.simple.span, call.index);
  const behind = (after: State | null): State | null => {
    if (after === null || operands.length === 0) return after;
    return { ...after, positional: hasSet ? { ...state.positional, words: null } : state.positional };
  };
  // A redirection or an assignment that fails keeps it from running.
  const isCertain = call.node !== null && call.simple.redirections.length === 0 && call.simple.assignments.length === 0;
  return { success: behind(flow.success), failure: isCertain ? behind(flow.failure) : mergeStates(behind(flow.failure), state) };
}

/** `command` and `builtin`: run another command of this shell, past its functions. */
export const unwrap: Builtin = (scope, call, state) => {
  let at = 0;
  for (; at < call.words.length; at += 1) {
    const text = textOf(call.words[at]);
    if (text === null || !/^-[pvV]+$|^--$/.test(text)) break;
    if (/[vV]/.test(text)) return flowOf(state);
    if (text === "--") {
      at += 1;
      break;
    }
  }
  const words = call.words.slice(at);
  return words.length === 0 ? flowOf(state) : scope.walk.visitors.visitArgv(inner(scope, call), words, state);
};

/** `exec`: replaces the shell with a program; without one it only keeps its redirections. */
export const replace: Builtin = (scope, call, state) => {
  let at = 0;
  let isStripped = false;
  for (; at < call.words.length; at += 1) {
    const word = call.words[at];
    const text = textOf(word);
    if (text === "--") {
      at += 1;
      break;
    }
    if (text === null) {
      // `exec $x` may become an option as well as a program.
      if (word !== undefined && mayBeOption(word)) addUndecidable(scope, "dynamic-program", word.span, call.index);
      break;
    }
    const option = /^-([cl]*)(a?)(.*)$/s.exec(text);
    if (option === null || text === "-") break;
    if (option[1]?.includes("c") === true) isStripped = true;
    if (option[2] === "a" && option[3] === "") at += 1;
    // A shell whose name begins with a dash reads the files of a login, and other programs do something else by another name.
    if (option[1]?.includes("l") === true || option[2] === "a" || option[3] !== "") addUndecidable(scope, "dynamic-program", call.simple.span, call.index);
  }
  const words = call.words.slice(at);
  const { redirections, via } = call.simple;
  // Behind `command` the redirections belong to it.
  if (via.length > 0 || redirections.some(feedsInput)) scope.walk.found.inputIsReplaced = true;
  const started = inner(scope, call);
  if (words.length > 0) runExternal(isStripped ? { ...started, home: null } : started, words, { span: call.simple.span, state });
  return flowOf(state);
};

function inner(scope: Scope, call: BuiltinCall): Scope {
  return { ...scope, via: [...scope.via, call.simple.program ?? ""], stdin: call.simple.stdin, depth: scope.depth + 1 };
}
