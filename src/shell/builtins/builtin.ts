import type { SimpleCommand, Word } from "../model/model.ts";
import type { Command } from "../text/parse.ts";
import type { Flow, State } from "../state/state.ts";
import type { Scope } from "../state/walk.ts";

/** A call of a shell builtin, already recorded as a simple command. */
export type BuiltinCall = {
  readonly simple: SimpleCommand;
  readonly index: number;
  /** The words behind its name. */
  readonly words: readonly Word[];
  /** Its syntax; null when another builtin started it (`command export x=1`). */
  readonly node: Command | null;
};

/** Reads a call of a builtin, and what it leaves behind in the shell. */
export type Builtin = (scope: Scope, call: BuiltinCall, state: State) => Flow;

/** The text of a literal word, and null for any other. */
export function textOf(word: Word | undefined): string | null {
  return word?.kind === "literal" ? word.value : null;
}

/** Whether a word may turn out to be an option: it may begin with a dash, or with anything. */
export function mayBeOption(word: Word): boolean {
  if (word.kind === "literal") return word.value.startsWith("-");
  const start = word.kind === "pattern" ? word.glob : word.prefix;
  return start === "" || /^[-*?[]/.test(start);
}

/**
 * The place of a word that a call assigns to, unlike any other of its source. Words of a nested script all have the span of the
 * word that holds it, so the syntax tells them apart, or else the order in which calls are read.
 */
export function positionOf(call: BuiltinCall, word: Word): string {
  return `${call.node === null ? "call" : "word"} ${call.node?.pos ?? call.index}:${call.words.indexOf(word)}`;
}
