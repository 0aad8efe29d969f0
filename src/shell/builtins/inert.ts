import { newEffect } from "../model/effects.ts";
import { flowOf } from "../state/state.ts";
import type { State } from "../state/state.ts";
import { noteReturn } from "../commands/functions.ts";
import { isInFunction, addUndecidable } from "../state/scope.ts";
import { applyProgram } from "../commands/run-program.ts";
import { isExactlyOne } from "../state/parameters.ts";
import { addEffects } from "../commands/add-command.ts";
import type { Flow } from "../state/state.ts";
import { noteStop } from "../state/failures.ts";
import type { Scope } from "../state/walk.ts";
import type { Builtin, BuiltinCall } from "./builtin.ts";
import { textOf } from "./builtin.ts";

/** Changes nothing but the shell's own bookkeeping, whatever its words are. */
export const inert: Builtin = (_scope, _call, state) => flowOf(state);

/** `suspend`: a word behind its options ends the line. */
export const takingNone: Builtin = (scope, call, state) => {
  if (call.words.some((word) => !/^-\w*$/.test(textOf(word) ?? ""))) noteStop(scope, state);
  return flowOf(state);
};

/** `break` and `continue`: a word that is no number ends the line, and so does a second one. */
export const leaveLoop: Builtin = (scope, call, state) => {
  if (!call.words.every((word) => /^-?\d{1,9}$/.test(textOf(word) ?? ""))) noteStop(scope, state);
  noteExcess(scope, call, state);
  return flowOf(state);
};

/** Notes that a builtin which takes one word may have been given several: that ends the line. */
export function noteExcess(scope: Scope, { words }: BuiltinCall, state: State): void {
  if (words.length > 1 || !words.every(isExactlyOne)) noteStop(scope, state);
}

/** What it does is what the tables say of a program of that name. */
export const tabled: Builtin = (scope, call, state) => applyProgram(scope, call.index, state);

/** Runs a text that its words name, in ways that are not followed. */
export const evaluating: Builtin = (scope, call, state) => {
  if (call.words.length > 0) addUndecidable(scope, "evaluated-text", call.simple.span, call.index);
  return flowOf(state);
};

/** `fc`: also without a word it opens an editor, and runs what that leaves. */
export const editing: Builtin = (scope, call, state) => {
  addUndecidable(scope, "evaluated-text", call.simple.span, call.index);
  return flowOf(state);
};

/** `exit` ends the shell, but for words it does not understand or a redirection that fails. */
export const exit: Builtin = (scope, call, state) => {
  const status = textOf(call.words[0]);
  noteExcess(scope, call, state);
  const isCertain = call.words.length === 0 || (call.words.length === 1 && status !== null && /^\d+$/.test(status));
  return isCertain && call.simple.redirections.length === 0 && call.simple.assignments.length === 0 && scope.via.length === 0 ? NEVER : flowOf(state);
};

/** `return` ends a function; elsewhere it is an error, and the script goes on. */
export const leave: Builtin = (scope, call, state) => {
  noteReturn(scope, state);
  noteExcess(scope, call, state);
  return isInFunction(scope) ? exit(scope, call, state) : flowOf(state);
};

const NEVER: Flow = { success: null, failure: null };

/** Without words, prints the environment. */
export function showEnvironment(scope: Scope, call: BuiltinCall, state: State): Flow {
  addEffects(scope, call.index, [newEffect("secrets", `\`${call.simple.program ?? ""}\` prints the variables of the shell`, call.simple.span)]);
  return flowOf(state);
}
