import { createLedger } from "./variable-uses.ts";
import type { Ledger } from "./variable-uses.ts";
import { LIMITS } from "../model/limits.ts";
import type { AnalysisContext, CommandContext, Condition, Effect, FoundRepository, SimpleCommand, Span, Stdin, Undecidable, Word } from "../model/model.ts";
import type { CommandNode, CompoundList, FunctionDefinition, ParsedScript } from "../text/parse.ts";
import type { Source } from "../text/coverage.ts";
import type { Dialect } from "../text/dialect.ts";
import type { Flow, State } from "./state.ts";

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

/** The body of a function that is read at its calls. */
export type Definition = {
  readonly body: FunctionDefinition["body"];
  /** Where it was defined. */
  readonly scope: Scope;
  /** It is being read: another call of it now is recursive. */
  isActive: boolean;
  /** Some call led to it. */
  isRead: boolean;
};

export type Names = {
  /** Each function with the place of its definition. */
  readonly functions: Map<string, string>;
  /** Functions that were called behind their definition. */
  readonly called: Set<string>;
  /** Functions that cannot be followed: defined twice, recursive, or called before they are defined. */
  readonly general: Set<string>;
  /** Bodies of followed functions. */
  readonly definitions: Map<string, Definition>;
  /** Names that stand for the program at a path. */
  readonly hashed: Map<string, string>;
};

/** What one pass finds out and the next must know from its start. Its collections are made on first use: most texts need none. */
export class Found {
  trapsReturn = false;
  trapsShift = false;
  functionsMove = false;
  functionsStop = false;
  mayStopAnywhere = false;
  trapsMove = false;
  hasTraps = false;
  functionsVanish = false;
  inputIsReplaced = false;
  hasMoved = false;
  /** Counts process substitutions, of which each keeps a pipe open. */
  pipes = 0;
  /** What held where a followed function returned early. */
  returned: State | null = null;
  /** Programs whose output is taken for what their words say; null: none. */
  feeders: Set<string> | null = null;
  #names: Names | null = null;

  /** The next pass has nothing to learn from this one. What functions do matters where there are some. */
  get isNothing(): boolean {
    const traps = this.hasTraps || this.trapsReturn || this.trapsShift || this.trapsMove;
    return this.#names === null && !traps && !this.mayStopAnywhere && !this.inputIsReplaced;
  }

  /** The collections; null while nothing was noted in them. */
  get noted(): Names | null {
    return this.#names;
  }

  get names(): Names {
    return (this.#names ??= { functions: new Map(), called: new Set(), general: new Set(), definitions: new Map(), hashed: new Map() });
  }
}

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
  /** Repositories that commands obey, each with its command; null: none. */
  repositories: (FoundRepository & { readonly simple: number })[] | null;
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
    repositories: null,
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
