import { Found } from "./found.ts";
import { createLedger } from "./variable-uses.ts";
import type { Ledger } from "./variable-uses.ts";
import { LIMITS } from "../model/limits.ts";
import { effectOf, newEffect } from "../model/effects.ts";
import type { AnalysisContext, CommandContext, Condition, Effect, SimpleCommand, Span, Stdin, Undecidable, UndecidableCode, Word } from "../model/model.ts";
import type { CommandNode, CompoundList, ParsedScript } from "../text/parse.ts";
import type { Flow, State } from "./state.ts";
import { explainUndecidable } from "../model/undecidable.ts";

/** What one pass over a script takes for granted. The next pass starts from what this one found. */
export type Assumptions = {
  /** Variables that several places assign: their value is never substituted. */
  readonly contested: ReadonlySet<string>;
  /** Variables that some place gives a text: they are not taken to hold a number. */
  readonly texts: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
  /** Some function changes the directory: after a call it is unknown. */
  readonly functionsMove: boolean;
  /** The script changes the directory, so a body that runs later may run anywhere. */
  readonly laterIsElsewhere: boolean;
  /** A trap changes the directory: it is unknown everywhere. */
  readonly isAnywhere: boolean;
  /** `unset` may remove a function. */
  readonly functionsVanish: boolean;
  /** `exec < f` may have replaced the standard input of the script, or a function the program that feeds a pipe. */
  readonly inputIsReplaced: boolean;
  /** Functions whose body is read at each of their calls, with the words of the call. */
  readonly followed: ReadonlySet<string>;
  /** Functions whose body is read once, where it is defined, for whatever words: all others. */
  readonly general: ReadonlySet<string>;
  /** Some function may end the line that calls it. */
  readonly functionsStop: boolean;
  /** The script makes commands fail that do not fail otherwise: it has variables that take no assignment, or numbers alone, or patterns that must match. */
  readonly mayStopAnywhere: boolean;
  /** Functions are followed at all: not where a trap may end one early. */
  readonly isFollowing: boolean;
  /** A trap changes the positional parameters: they are unknown everywhere. */
  readonly trapsShift: boolean;
  /** Names that stand for the program at a path. */
  readonly hashed: ReadonlyMap<string, string>;
};

/** Filled while a pass runs. */
export type Walk = {
  readonly context: AnalysisContext;
  readonly text: string;
  readonly assumptions: Assumptions;
  readonly ledger: Ledger;
  readonly simples: SimpleCommand[];
  readonly effects: Effect[];
  readonly undecidable: Undecidable[];
  /** Null: none. */
  needs: Set<string> | null;
  readonly found: Found;
  /** Counts changes of the directory in the shell that is being read; a subshell's are taken back. */
  moves: number;
  /** The same for changes of the positional parameters. */
  shifts: number;
  /** What held wherever something may have failed that ends the line that is being read, all of it together; null: nothing. */
  stopped: State | null;
  /** Counts `return`. */
  leaves: number;
  sources: number;
  shells: number;
  nodesLeft: number;
  loopBodies: number;
  hasParseError: boolean;
  readonly visitors: Visitors;
};

/** The way back up: words hold substitutions, and substitutions hold scripts. */
export type Visitors = {
  /** Reads a parsed script, and what it leaves behind. */
  readonly visitScript: (scope: Scope, script: ParsedScript, state: State) => Flow;
  readonly visitList: (scope: Scope, list: CompoundList, state: State) => Flow;
  readonly visitNode: (scope: Scope, node: CommandNode, state: State) => Flow;
  /** Reads a text that a shell will run, as one more source. */
  readonly visitText: (scope: Scope, text: NestedText, state: State) => Flow;
  /** Reads a command that this shell runs from words that were already read. */
  readonly visitArgv: (scope: Scope, argv: readonly Word[], state: State) => Flow;
};

export type NestedText = { readonly text: string; readonly span: Span; readonly dialect: Dialect };

export type Dialect = "bash" | "sh" | "make";

/** A text with positions of its own. */
export type Source = {
  readonly id: number;
  readonly text: string;
  /** The words of the analysed text that hold this text; null for the analysed text itself. */
  readonly outer: Span | null;
  /** Where substitutions were visited; null when the text holds none. */
  readonly visited: Set<number> | null;
  /** Where a substitution is quoted, and so is none. */
  readonly exempt: Span[];
};

/** Where in the script something stands. */
export type Scope = {
  readonly walk: Walk;
  readonly source: Source;
  readonly contexts: readonly CommandContext[];
  readonly stdin: Stdin;
  readonly via: readonly string[];
  readonly dialect: Dialect;
  readonly depth: number;
  /** What `~` and `$HOME` stand for here; null where the environment was cleared. */
  readonly home: string | null;
  /** What stands here comes about only where this is so. */
  readonly through?: Condition;
  /** Tells shells that do not share their functions. */
  readonly shell: number;
};

export function createWalk(text: string, context: AnalysisContext, assumptions: Assumptions, visitors: Visitors): Walk {
  return {
    context,
    text,
    assumptions,
    ledger: createLedger(),
    simples: [],
    effects: [],
    undecidable: [],
    needs: null,
    found: new Found(),
    moves: 0,
    shifts: 0,
    stopped: null,
    leaves: 0,
    sources: 0,
    shells: 0,
    nodesLeft: LIMITS.maxNodes,
    loopBodies: 1,
    hasParseError: false,
    visitors,
  };
}

/** Where a node stands in the text that was given to the analysis. */
export function spanOf(scope: Scope, node: { readonly pos: number; readonly end: number }): Span {
  return spanAt(scope, node.pos, node.end);
}

/** The same of a node that is known by its positions: what reads nodes of one kind reads theirs in place. */
export function spanAt({ source: { text, outer } }: Scope, pos: number, end: number): Span {
  // Where the text ends too early, the parser's positions may lie behind its end.
  return outer ?? { start: Math.min(pos, text.length), end: Math.min(end, text.length) };
}

/** A key for a place in a source, the same whenever the place is visited. */
export function placeOf(scope: Scope, position: number | string): string {
  return `${scope.source.id}:${position}`;
}

/** The standard input of several commands: what one of them takes, the next does not see, so its text is not known. */
export function shared(stdin: Stdin): Stdin {
  if (stdin.kind === "pipe") return { kind: "pipe", from: stdin.from };
  return stdin.kind === "text" ? { kind: "inherited" } : stdin;
}

/** Reads what runs in a process of its own, or another time: it neither changes the directory nor the parameters here, nor ends the line. */
export function apart<Result>(walk: Walk, read: () => Result): Result {
  const { moves, shifts, stopped } = walk;
  const result = read();
  walk.moves = moves;
  walk.shifts = shifts;
  walk.stopped = stopped;
  return result;
}

/** A shell of its own, which does not know the functions of the others. */
export function newShell(walk: Walk): number {
  walk.shells += 1;
  return walk.shells;
}

export function within(scope: Scope, context: CommandContext): Scope {
  return { ...scope, contexts: [...scope.contexts, context], depth: scope.depth + 1 };
}

/** Records that something cannot be decided; it becomes an effect as well, so that no verdict can overlook it. */
export function addUndecidable(scope: { readonly walk: Walk }, code: UndecidableCode, span: Span, simple = -1): void {
  const { walk } = scope;
  const last = walk.undecidable.at(-1);
  if (last !== undefined && last.code === code && last.span.start === span.start && last.span.end === span.end) return;
  const text = walk.text.slice(span.start, Math.min(span.end, span.start + 80));
  walk.undecidable.push({ code, span, text });
  walk.effects.push(effectOf(simple, newEffect("undecidable", explainUndecidable(code, text), span)));
}

/** Takes one node from the budget; false when it is spent, and then nothing below may be read as complete. */
export function spendNode(scope: Scope, node: { readonly pos: number; readonly end: number }): boolean {
  const { walk } = scope;
  walk.nodesLeft -= 1;
  if (walk.nodesLeft < 0) {
    if (walk.nodesLeft === -1) addUndecidable(scope, "too-many-nodes", spanOf(scope, node));
    return false;
  }
  if (scope.depth > LIMITS.maxDepth) {
    addUndecidable(scope, "too-deep", spanOf(scope, node));
    return false;
  }
  return true;
}

/** Takes more nodes from the budget: the next one that is read is refused where none is left. */
export function spendNodes({ walk }: Scope, count: number): void {
  if (count > 0) walk.nodesLeft = Math.min(walk.nodesLeft, Math.max(0, walk.nodesLeft - count));
}
