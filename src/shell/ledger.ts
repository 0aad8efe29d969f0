import type { Span } from "./model.ts";

/**
 * What the whole script does with each variable, whatever the order. A value is only substituted for a
 * variable that one place assigns; a variable is only fit for arithmetic when no place gives it a text.
 */
export type Ledger = {
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
};

export function createLedger(): Ledger {
  return {
    places: new Map(),
    contested: new Set(),
    used: new Set(),
    usedAsNumber: new Set(),
    texts: new Set(),
    arithmetic: new Map(),
    arrays: new Set(),
    declared: new Map(),
  };
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
  "COLUMNS",
  "LINES",
  "TMOUT",
]);

/** Whether an assignment to the variable is certain to be what a later expansion sees. */
export function isFoldable(name: string): boolean {
  return !SPECIAL.has(name) && !name.startsWith("BASH") && !name.startsWith("COMP_");
}
