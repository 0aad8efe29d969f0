import type { State } from "./state.ts";
import type { FunctionDefinition } from "../text/parse.ts";
import type { Scope } from "./walk.ts";

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

/** What one pass finds out that the next one must know from its start. Its collections are made when the first of them is asked for. */
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
