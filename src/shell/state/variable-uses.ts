import type { Descriptor } from "./descriptors.ts";
import type { Span } from "../model/model.ts";

/**
 * What the whole script does with each variable, whatever the order. A value is only substituted for a
 * variable that one place assigns; a variable is only fit for arithmetic when no place gives it a text.
 */
export type Ledger = {
  /** Nothing was noted, and nothing asked for. */
  readonly isEmpty: boolean;
  /** The place that assigns the variable. */
  readonly places: Map<string, string>;
  /** Variables that more than one place assigns. */
  readonly contested: Set<string>;
  /** Variables whose known value was used. */
  readonly used: Set<string>;
  /** Variables that were taken to hold a number. */
  readonly usedAsNumber: Set<string>;
  /** Variables that may hold something that is no number. */
  readonly texts: Set<string>;
  /** Variables that arithmetic reads: bash evaluates their text again, with the substitutions in it. */
  readonly arithmetic: Map<string, Span>;
  readonly arrays: Set<string>;
  /** Variables that a declaration builtin gives an unknown value, which it expands once more for an array. */
  readonly declared: Map<string, Span>;
  /** Variables that programs get. */
  readonly exported: Map<string, Span>;
  /** Variables that some place gives a value which may steer a program that gets it. */
  readonly steering: Set<string>;
  readonly descriptors: Descriptor[];
};

export function createLedger(): Ledger {
  return new LazyLedger();
}

/** Makes its collections when the first of them is asked for: most texts have no variable. */
class LazyLedger implements Ledger {
  #notes: Omit<Ledger, "isEmpty"> | null = null;

  get isEmpty(): boolean {
    return this.#notes === null;
  }

  private get notes(): Omit<Ledger, "isEmpty"> {
    return (this.#notes ??= {
      places: new Map(),
      contested: new Set(),
      used: new Set(),
      usedAsNumber: new Set(),
      texts: new Set(),
      arithmetic: new Map(),
      arrays: new Set(),
      declared: new Map(),
      exported: new Map(),
      steering: new Set(),
      descriptors: [],
    });
  }

  get places(): Ledger["places"] {
    return this.notes.places;
  }

  get contested(): Ledger["contested"] {
    return this.notes.contested;
  }

  get used(): Ledger["used"] {
    return this.notes.used;
  }

  get usedAsNumber(): Ledger["usedAsNumber"] {
    return this.notes.usedAsNumber;
  }

  get texts(): Ledger["texts"] {
    return this.notes.texts;
  }

  get arithmetic(): Ledger["arithmetic"] {
    return this.notes.arithmetic;
  }

  get arrays(): Ledger["arrays"] {
    return this.notes.arrays;
  }

  get declared(): Ledger["declared"] {
    return this.notes.declared;
  }

  get exported(): Ledger["exported"] {
    return this.notes.exported;
  }

  get steering(): Ledger["steering"] {
    return this.notes.steering;
  }

  get descriptors(): Ledger["descriptors"] {
    return this.notes.descriptors;
  }
}

/** The place that assigns what a shell sets when it starts. */
export const STARTING_SHELL = "start";

// No variable has such a name.
export const ERROR_TRAP = "trap ERR";

/** The script's own: no program looks for a variable of such a name (`http_proxy`, `npm_config_cache`, `LC_ALL`), should it be handed on. */
const OWN_NAME = /^[a-z][a-z0-9]*$/;

/**
 * Whether the script neither sets a variable that means something to others nor hands one on. To ask what splits words, and whether there is a trap,
 * is neither.
 */
export function isWithoutVariables(ledger: Ledger): boolean {
  if (ledger.isEmpty) return true;
  const { places, texts, used, usedAsNumber, arithmetic, arrays, declared, exported, steering } = ledger;
  if (![...places].every(([name, place]) => OWN_NAME.test(name) || (name === "IFS" && place === STARTING_SHELL))) return false;
  if (![...used].every((name) => OWN_NAME.test(name) || name === "IFS" || name === ERROR_TRAP)) return false;
  if (![...texts, ...steering].every((name) => OWN_NAME.test(name))) return false;
  return [usedAsNumber, arithmetic, arrays, declared, exported].every(({ size }) => size === 0);
}

/** Notes that `place` (unique for each place in the text) assigns a variable. */
export function noteAssignment(ledger: Ledger, name: string, place: string): void {
  const known = ledger.places.get(name);
  if (known === undefined) ledger.places.set(name, place);
  else if (known !== place) ledger.contested.add(name);
}

// Variables that the shell itself changes or that do not take an assignment.
const SPECIAL = new Set([
  "_",
  "RANDOM",
  "SRANDOM",
  "SECONDS",
  "LINENO",
  "EPOCHSECONDS",
  "EPOCHREALTIME",
  "FUNCNAME",
  "GROUPS",
  "DIRSTACK",
  "HISTCMD",
  "PIPESTATUS",
  "REPLY",
  "OPTARG",
  "OPTIND",
  "OPTERR",
  "UID",
  "EUID",
  "PPID",
  "PWD",
  "OLDPWD",
  "MAPFILE",
  "COPROC",
  "COMP_WORDS",
  "COMPREPLY",
  "COLUMNS",
  "LINES",
  "TMOUT",
]);

// Those of them that are numbers, whatever stands in the words and files of a script.
const NUMBERS = new Set(
  "RANDOM SRANDOM SECONDS LINENO EPOCHSECONDS GROUPS HISTCMD PIPESTATUS OPTIND OPTERR UID EUID PPID COLUMNS LINES TMOUT BASHPID BASH_SUBSHELL".split(" "),
);

/** Whether the shell itself fills the variable with a text: a line, an argument, what a pattern matched. */
export function isFilledByShell(name: string): boolean {
  return !isFoldable(name) && !NUMBERS.has(name);
}

/** Whether an assignment to the variable is certain to be what a later expansion sees. */
export function isFoldable(name: string): boolean {
  return !SPECIAL.has(name) && !name.startsWith("BASH") && !name.startsWith("COMP_");
}
