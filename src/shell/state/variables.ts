import { steersZsh } from "../text/dialect.ts";
import { isHot, isSteering } from "./hot-variables.ts";
import { ERROR_TRAP, isFoldable, noteAssignment, STARTING_SHELL } from "./variable-uses.ts";
import { LIMITS } from "../model/limits.ts";
import type { Span, Word } from "../model/model.ts";
import { commandOf } from "./harmless-values.ts";
import type { State } from "./state.ts";
import { ANYWHERE } from "./state.ts";
import type { Scope } from "./walk.ts";
import { addUndecidable, apart, newShell, placeOf } from "./scope.ts";

export type Assigned = {
  readonly name: string;
  /** Null: not known at all (`read x`). */
  readonly value: Word | null;
  readonly span: Span;
  /** Where it stands in its source. */
  readonly position: number | string;
};

const NAME = /^[A-Za-z_]\w*$/;

export function isName(text: string): boolean {
  return NAME.test(text);
}

/** Notes that the script sets a variable, with everything that follows whatever the order. */
export function recordAssignment(scope: Scope, assigned: Assigned): void {
  const { ledger } = scope.walk;
  const value = assigned.value?.kind === "literal" ? assigned.value.value : null;
  const command = value === null ? null : commandOf(assigned.name, value);
  if (command !== null) visitCommandValue(scope, command, assigned.span);
  else if (isHot(assigned.name, value) || steersZsh(scope, assigned.name)) addUndecidable(scope, "hot-variable", assigned.span);
  noteAssignment(ledger, assigned.name, placeOf(scope, assigned.position));
  if (isSteering(assigned.name, settingOf(assigned.value))) ledger.steering.add(assigned.name);
  if (!isNumber(assigned.value)) {
    ledger.texts.add(assigned.name);
    // Bash evaluates what they are given.
    if (INTEGERS.has(assigned.name)) addUndecidable(scope, "arithmetic", assigned.span);
  } else if (mayBeEmpty(assigned.value)) ledger.texts.add(orNothing(assigned.name));
}

/** What a program may find in a variable: some number stands for all of them, and null for what is not known. */
export function settingOf(value: Word | null): string | null {
  if (value?.kind === "literal") return value.value;
  return isNumber(value) ? "0" : null;
}

/** Variables of bash that have the attribute of a number from its start. */
const INTEGERS = new Set(["RANDOM", "SRANDOM", "SECONDS", "HISTCMD", "OPTIND"]);

/** The name under which the ledger keeps that a variable holds a number or nothing. No variable has such a name. */
function orNothing(name: string): string {
  return `${name}?`;
}

/** A pager or an editor: some program runs it, somewhere, with words that are not known. */
function visitCommandValue(scope: Scope, command: string, span: Span): void {
  const { walk } = scope;
  if (command === "") return;
  const inner: Scope = {
    ...scope,
    via: [...scope.via, "sh"],
    contexts: [...scope.contexts, "nested-shell"],
    stdin: { kind: "inherited" },
    depth: scope.depth + 1,
    shell: newShell(walk),
  };
  apart(walk, () => walk.visitors.visitText(inner, { text: command, span, dialect: "sh" }, ANYWHERE));
}

/** The state after a plain assignment that is certain to happen. */
export function assign(scope: Scope, assigned: Assigned, state: State): State {
  recordAssignment(scope, assigned);
  if (!isFoldable(assigned.name)) return state;
  const isContested = scope.walk.assumptions.contested.has(assigned.name);
  const isShort = assigned.value?.kind === "literal" && assigned.value.value.length <= LIMITS.maxValueCharacters;
  if (isShort && !isContested) return rebound(state, assigned.name, { mark: "", value: assigned.value.value });
  if (assigned.value === null || !isNumber(assigned.value)) return rebound(state, assigned.name, null);
  return rebound(state, assigned.name, { mark: NUMBER, value: mayBeEmpty(assigned.value) ? "maybe" : "" });
}

// What is known of a variable besides its value stands under its name and one of these.
const NUMBER = "#";
const PATTERN = "*";
const START = "/";

/** The state with nothing known of a variable but this: what held before its last assignment holds no more. */
function rebound(state: State, name: string, known: { readonly mark: string; readonly value: string } | null): State {
  const names = [name, `${name}${NUMBER}`, `${name}${PATTERN}`, `${name}${START}`];
  if (known === null && !names.some((each) => state.variables.has(each))) return state;
  const variables = new Map(state.variables);
  for (const each of names) variables.delete(each);
  if (known !== null) variables.set(`${name}${known.mark}`, known.value);
  return { ...state, variables };
}

function mayBeEmpty(word: Word | null): boolean {
  if (word === null) return true;
  return word.kind === "literal" ? word.value === "" : word.kind === "dynamic" && word.isNumeric === true;
}

/** The state in the body of a loop over the files that a pattern matches, or over those that another command found below a start. */
export function assignFile(scope: Scope, assigned: Assigned, at: { readonly state: State; readonly word: Word & { readonly kind: "pattern" } }): State {
  recordAssignment(scope, assigned);
  const isKnown = isFoldable(assigned.name) && !scope.walk.assumptions.contested.has(assigned.name);
  const { glob, root } = at.word;
  const known = root === undefined ? { mark: PATTERN, value: glob } : { mark: START, value: root };
  return rebound(at.state, assigned.name, isKnown ? known : null);
}

/** The pattern whose matches a variable holds one of, or the start below which another command found its file; null where that is not certain. */
export function knownFile(scope: Scope, name: string, state: State): { readonly glob: string } | { readonly start: string } | null {
  const [glob, start] = [state.variables.get(`${name}${PATTERN}`), state.variables.get(`${name}${START}`)];
  if (glob === undefined && start === undefined) return null;
  scope.walk.ledger.used.add(name);
  return glob === undefined ? { start: start ?? "" } : { glob };
}

/** Whether a variable is certain to hold a number here (or nothing, `maybe`): one was assigned, and no place assigns anything else. */
export function holdsNumber(scope: Scope, name: string, state: State): "number" | "maybe" | null {
  const mark = state.variables.get(`${name}${NUMBER}`);
  if (mark === undefined || scope.walk.assumptions.texts.has(name)) return null;
  scope.walk.ledger.usedAsNumber.add(name).add(orNothing(name));
  return mark === "maybe" || scope.walk.assumptions.texts.has(orNothing(name)) ? "maybe" : "number";
}

/** Whether no place of the script gives a text to a variable that is a number by itself. */
export function holdsNothingElse({ walk }: Scope, name: string): boolean {
  walk.ledger.usedAsNumber.add(name);
  return !walk.assumptions.texts.has(name);
}

/** The value of a variable where it is certain, and null elsewhere. */
export function knownValue(scope: Scope, name: string, state: State): string | null {
  const value = state.variables.get(name);
  if (value !== undefined) {
    scope.walk.ledger.used.add(name);
    return value;
  }
  if (name === "IFS") return knownSeparators(scope);
  // `HOME` and `PWD` are set by whoever starts the shell; a script that sets them is undecidable.
  if (name === "HOME") return scope.home;
  if (name === "PWD") return state.directories?.length === 1 ? (state.directories[0] ?? null) : null;
  return null;
}

/** What `IFS` holds where nothing sets it. */
export const DEFAULT_SEPARATORS = " \t\n";

/** The shell sets `IFS` itself when it starts: that is one more place that assigns it. */
function knownSeparators(scope: Scope): string | null {
  const { ledger } = scope.walk;
  noteAssignment(ledger, "IFS", STARTING_SHELL);
  ledger.used.add("IFS");
  return scope.walk.assumptions.contested.has("IFS") ? null : DEFAULT_SEPARATORS;
}

// No variable has such a name.
const PATTERNS = "*";

/** Notes that a pattern which matches nothing becomes nothing. */
export function noteVanishing({ walk: { ledger } }: Scope): void {
  ledger.contested.add(PATTERNS);
  ledger.used.add(PATTERNS);
}

/** Whether a pattern may become no word at all. */
export function mayVanish(scope: Scope): boolean {
  return scope.walk.assumptions.contested.has(PATTERNS);
}

/** Notes one half of what makes a trap print into a substitution whose program fails: that there is one for errors, or that substitutions have it. */
export function noteErrorTrap(scope: Scope, half: "trap" | "errtrace"): void {
  noteAssignment(scope.walk.ledger, ERROR_TRAP, half);
}

/** Whether the script has both halves. */
export function mayPrintTrap(scope: Scope): boolean {
  scope.walk.ledger.used.add(ERROR_TRAP);
  return scope.walk.assumptions.contested.has(ERROR_TRAP);
}

// No variable has such a name.
const SUBSTITUTIONS = "$(";

/** Notes that what runs in a substitution may be ended before it printed anything, or that no descriptor may be left. */
export function noteLosing({ walk: { ledger } }: Scope): void {
  ledger.contested.add(SUBSTITUTIONS);
  ledger.used.add(SUBSTITUTIONS);
}

/**
 * Whether a substitution may print nothing, whatever its command prints, and any redirection fail. A function that calls itself uses up descriptors
 * and the stack, and a substitution needs more of both than the shell that goes on behind it.
 */
export function mayLose(scope: Scope): boolean {
  return scope.walk.assumptions.contested.has(SUBSTITUTIONS) || scope.walk.assumptions.general.size > 0;
}

/** Whether a word is certain to be an integer or empty. An arithmetic word without a prefix is one. */
export function isNumber(word: Word | null): boolean {
  if (word === null) return false;
  if (word.kind === "literal") return /^(?:-?\d+)?$/.test(word.value);
  return word.kind === "dynamic" && word.prefix === "" && (word.reason === "arithmetic" || word.isNumeric === true);
}
