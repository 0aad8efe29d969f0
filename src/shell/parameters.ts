import { readArithmetic, readSubscript } from "./arithmetic.ts";
import type { DynamicReason } from "./model.ts";
import type { ParameterExpansionPart } from "./parse.ts";
import type { State } from "./state.ts";
import { visitSubstitutions } from "./substitutions.ts";
import { holdsNumber, isName, knownValue, recordAssignment } from "./variables.ts";
import type { Scope } from "./walk.ts";
import { addUndecidable, spanOf } from "./walk.ts";

/** What a parameter expands to. */
export type Expansion = {
  /** Null: not known. */
  readonly value: string | null;
  readonly reason: DynamicReason;
  /** Becomes several words even inside double quotes (`"$@"`). */
  readonly isList: boolean;
};

const UNKNOWN: Expansion = { value: null, reason: "parameter", isList: false };
const NUMBER: Expansion = { value: null, reason: "arithmetic", isList: false };
const LIST: Expansion = { value: null, reason: "parameter", isList: true };
const NUMBERS = new Set(["#", "?", "$", "UID", "EUID", "PPID", "BASHPID"]);

/** `$name`, `$1`, `$?`. */
export function expandName(scope: Scope, name: string, state: State): Expansion {
  if (NUMBERS.has(name)) return NUMBER;
  if (name === "@") return LIST;
  if (!isName(name)) return UNKNOWN;
  const value = knownValue(scope, name, state);
  if (value === null) return holdsNumber(scope, name, state) ? NUMBER : UNKNOWN;
  return { value, reason: "parameter", isList: false };
}

/** `${…}`: reads everything below it, and gives its value when that is exact. */
export function expandBraced(scope: Scope, part: ParameterExpansionPart, state: State): Expansion {
  const span = spanOf(scope, part);
  if (part.index !== undefined) readSubscript(scope, part.index.text, span);
  if (part.index !== undefined) visitSubstitutions(scope, part.index, state);
  readOperation(scope, part, state);
  if (part.prefix === "!") {
    const lists = part.operation?.type === "Names" || part.index?.text === "@" || part.index?.text === "*";
    if (!lists) addUndecidable(scope, "indirect-expansion", span);
    return LIST;
  }
  if (part.prefix === "#") return part.operation === undefined ? NUMBER : UNKNOWN;
  if (!isName(part.parameter) && !/^(?:\d+|[@*#?$!_-])$/.test(part.parameter)) {
    addUndecidable(scope, "unsupported-syntax", span);
    return UNKNOWN;
  }
  if (part.index !== undefined) return part.index.text === "@" ? LIST : UNKNOWN;
  if (part.operation !== undefined) return part.parameter === "@" ? LIST : UNKNOWN;
  return expandName(scope, part.parameter, state);
}

function readOperation(scope: Scope, part: ParameterExpansionPart, state: State): void {
  const { operation } = part;
  if (operation === undefined) return;
  const span = spanOf(scope, part);
  visitSubstitutions(scope, operation, state);
  if (operation.type === "Unknown") addUndecidable(scope, "unsupported-syntax", span);
  else if (operation.type === "Transform") {
    if (!/^[QEAKkaUuL]$/.test(operation.operand.text)) addUndecidable(scope, "prompt-expansion", span);
  } else if (operation.type === "Slice") {
    readArithmetic(scope, operation.offset.text, span);
    if (operation.length !== undefined) readArithmetic(scope, operation.length.text, span);
  } else if (operation.type === "Default" && operation.operator.endsWith("=")) {
    recordAssignment(scope, { name: part.parameter, value: null, span, position: part.pos });
  }
}
