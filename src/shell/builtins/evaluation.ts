import { literalPath, pathContext } from "../effects/paths.ts";
import { runExternal } from "../programs.ts";
import { addEffects } from "../record.ts";
import { feedsInput } from "../redirections.ts";
import { UNKNOWN_PARAMETERS } from "../positional.ts";
import { flowOf } from "../state.ts";
import type { Scope } from "../walk.ts";
import { addUndecidable, apart } from "../walk.ts";
import type { Builtin, BuiltinCall } from "./builtin.ts";
import { mayBeOption, textOf } from "./builtin.ts";

/** `eval`: its words, joined by blanks, are read as one more script of this shell. */
export const evaluate: Builtin = (scope, call, state) => {
  const words = textOf(call.words[0]) === "--" ? call.words.slice(1) : call.words;
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

/** `trap`: the text runs later, from anywhere in the script. */
export const trap: Builtin = (scope, call, state) => {
  const words = textOf(call.words[0]) === "--" ? call.words.slice(1) : call.words;
  const first = words[0];
  if (first === undefined || words.length === 1) {
    if (first !== undefined && first.kind !== "literal") addUndecidable(scope, "evaluated-text", first.span, call.index);
    return flowOf(state);
  }
  if (first.kind !== "literal") {
    addUndecidable(scope, "evaluated-text", first.span, call.index);
    return flowOf(state);
  }
  if (/^-[lp]?$|^\d*$/.test(first.value)) return flowOf(state);
  const { walk } = scope;
  const { moves, shifts } = walk;
  walk.found.hasTraps = true;
  const later = { ...state, positional: UNKNOWN_PARAMETERS, directories: walk.assumptions.laterIsElsewhere ? null : state.directories };
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
  const text = textOf(file);
  const cause = `\`${call.simple.program ?? ""}\` runs the commands of a file`;
  const span = call.simple.span;
  const path = text !== null && text.includes("/") ? literalPath(text, pathContext(call.simple, scope.walk.context.home)) : undefined;
  addEffects(scope, call.index, [path === undefined ? { kind: "runs-code", cause, span } : { kind: "runs-code", cause, span, path }]);
  addUndecidable(scope, "sourced-file", span, call.index);
  return flowOf({ ...state, directories: null });
};

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
    if (option[2] === "a" && option[3] === "") at += 1;
    else if (option[2] === "" && option[3] !== "") addUndecidable(scope, "dynamic-program", call.simple.span, call.index);
  }
  const words = call.words.slice(at);
  const { redirections, via } = call.simple;
  // Behind `command` the redirections belong to it.
  if (via.length > 0 || redirections.some(feedsInput)) scope.walk.found.inputIsReplaced = true;
  if (words.length > 0) runExternal(inner(scope, call), words, { span: call.simple.span, state });
  return flowOf(state);
};

function inner(scope: Scope, call: BuiltinCall): Scope {
  return { ...scope, via: [...scope.via, call.simple.program ?? ""], stdin: call.simple.stdin, depth: scope.depth + 1 };
}
