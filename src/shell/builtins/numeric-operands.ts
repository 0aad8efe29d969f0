import { isKorn } from "../text/dialect.ts";
import type { Word } from "../model/model.ts";
import { isNumber } from "../state/variables.ts";
import type { Scope } from "../state/walk.ts";
import { addUndecidable } from "../state/scope.ts";
import type { BuiltinCall } from "./builtin.ts";
import { textOf } from "./builtin.ts";

const COMPARES = /^-(?:eq|ne|lt|le|gt|ge|t)$/;
const TAKES_NUMBERS = new Set(["exit", "return", "shift", "break", "continue", "ulimit", "umask", "wait", "kill"]);

/** Whether a format prints texts alone. */
const PRINTS_TEXTS = /^(?:[^%]|%%|%-?\d*[sbcq])*$/;

/** Checks operands that ksh and zsh evaluate as arithmetic. */
export function checkNumbers(scope: Scope, { simple, words, index }: BuiltinCall): void {
  if (!isKorn(scope)) return;
  const operands = simple.program === "printf" ? words.slice(1) : words;
  if (calculates(simple.program ?? "", words) && !operands.every(isPlain)) addUndecidable(scope, "arithmetic", simple.span, index);
}

function calculates(program: string, words: readonly Word[]): boolean {
  if (program === "[" || program === "test") return words.some((word) => COMPARES.test(textOf(word) ?? ""));
  return program === "printf" ? !PRINTS_TEXTS.test(textOf(words[0]) ?? "%d") : TAKES_NUMBERS.has(program);
}

/** A number or an operator: the name of a variable stands for its text. */
function isPlain(word: Word): boolean {
  return isNumber(word) || (word.kind === "literal" && /^(?:-\w*|[!=<>()]+|\])$/.test(word.value));
}
