import { readArithmetic, readSubscript } from "./arithmetic.ts";
import { markVisited } from "../text/coverage.ts";
import { LIMITS } from "../model/limits.ts";
import type { DynamicReason, Stdin, Word } from "../model/model.ts";
import type { ParameterExpansionPart, ParsedScript, SyntaxNode } from "../text/parse.ts";
import { visitChildren } from "../text/parse.ts";
import type { State } from "../state/state.ts";
import { printsNumbers } from "./printed-numbers.ts";
import { applyOperation } from "./parameter-operations.ts";
import { mayFail, noteStop } from "../state/failures.ts";
import { parameterAt, sliceOf } from "../state/parameters.ts";
import { holdsNothingElse, holdsNumber, isName, knownFile, knownValue, mayPrintTrap, mayVanish, noteLosing, recordAssignment } from "../state/variables.ts";
import type { Scope } from "../state/walk.ts";
import { addUndecidable, apart, shared, spanOf, spendNode, within } from "../state/scope.ts";

/** What a parameter expands to. */
export type Expansion = {
  /** Null: not known. */
  readonly value: string | null;
  readonly reason: DynamicReason;
  /** Becomes several words even inside double quotes (`"$@"`). */
  readonly isList: boolean;
  /** The value is digits, or nothing. */
  readonly isNumeric?: true;
  /** The value is the name of a file that this pattern matches. */
  readonly glob?: string;
  /** The value is the name of a file that another command found below this. */
  readonly start?: string;
  /** What the value is certain to begin with. */
  readonly prefix?: string;
  /** The words of a list (`$@`, `$*`), where they are known. */
  readonly words?: readonly Word[];
  /** `$*`: one word inside double quotes. */
  readonly isJoined?: true;
};

const UNKNOWN: Expansion = { value: null, reason: "parameter", isList: false };
const NUMBER: Expansion = { value: null, reason: "arithmetic", isList: false };
const LIST: Expansion = { value: null, reason: "parameter", isList: true };
const JOINED: Expansion = { ...UNKNOWN, isJoined: true };
const NUMBERS = new Set(["#", "?", "$"]);
/** Numbers unless something else is passed to the shell under their name. Other shells than bash have not all of them. */
const NUMBERS_OF_BASH = new Set(["PPID", "UID", "EUID", "BASHPID"]);

/** `$name`, `$1`, `$?`. */
export function expandName(scope: Scope, name: string, state: State): Expansion {
  if (NUMBERS.has(name) || (scope.dialect === "bash" && NUMBERS_OF_BASH.has(name) && holdsNothingElse(scope, name))) return NUMBER;
  if (name === "@" || name === "*") return listOf(state.positional.words, name);
  if (!isName(name)) return parameterValue(scope, name, state);
  const value = knownValue(scope, name, state);
  if (value === null) return unknownValue(scope, name, state);
  return { value, reason: "parameter", isList: false };
}

/** `${…}`: reads everything below it, and gives its value when that is exact. */
export function expandBraced(scope: Scope, part: ParameterExpansionPart, state: State): Expansion {
  const span = spanOf(scope, part);
  // Bash runs a process substitution in the operand even inside double quotes: `"${x?>(id)}"`.
  if (/[<>]\(/.test(part.text)) addUndecidable(scope, "uncovered-substitution", span);
  // In there, bash takes `$$'` for a dollar and the beginning of `$'…'`, and `$${` for one more brace to close.
  if (/\$\$['"{([]/.test(part.text)) addUndecidable(scope, "unsupported-syntax", span);
  // Quotes in there are removed and the rest is expanded again: `"${x-"$\(id)"}"` and `"${x-"$"(id)}"` run id.
  if (part.text.includes('"') && /\$[\\"]/.test(part.text)) addUndecidable(scope, "uncovered-substitution", span);
  // Backticks in there keep the backslash before a quote, unlike those in double quotes alone: "${x-`echo \"; rm y; \"`}" runs rm.
  if (part.text.includes("`") && part.text.includes("\\")) addUndecidable(scope, "uncovered-substitution", span);
  if (mayFail(part.text)) noteStop(scope, state);
  if (part.index !== undefined) readSubscript(scope, part.index.text, span, state);
  if (part.index !== undefined) visitSubstitutions(scope, part.index, state);
  if (part.index !== undefined) scope.walk.ledger.arrays.add(part.parameter);
  readOperation(scope, part, state);
  if (part.prefix === "!") {
    const lists = part.operation?.type === "Names" || part.index?.text === "@" || part.index?.text === "*";
    if (lists) return LIST;
    // Where the name is known, so is what it stands for.
    const target = part.operation === undefined && part.index === undefined ? valueOf(scope, part.parameter, state) : null;
    if (target !== null && isName(target)) return expandName(scope, target, state);
    addUndecidable(scope, "indirect-expansion", span);
    return LIST;
  }
  if (part.prefix === "#") return part.operation === undefined ? NUMBER : UNKNOWN;
  if (!isName(part.parameter) && !/^(?:\d+|[@*#?$!_-])$/.test(part.parameter)) {
    addUndecidable(scope, "unsupported-syntax", span);
    return UNKNOWN;
  }
  if (part.index !== undefined) return part.index.text === "@" ? LIST : UNKNOWN;
  if (part.operation !== undefined) return isList(part.parameter) ? sliceValue(part, state) : operationValue(scope, part, state);
  return expandName(scope, part.parameter, state);
}

function unknownValue(scope: Scope, name: string, state: State): Expansion {
  const number = holdsNumber(scope, name, state);
  if (number === null) return fileName(scope, name, state);
  return number === "number" ? NUMBER : { ...UNKNOWN, isNumeric: true };
}

function fileName(scope: Scope, name: string, state: State): Expansion {
  const file = knownFile(scope, name, state);
  return file === null ? UNKNOWN : { ...UNKNOWN, reason: "loop-variable", ...file };
}

function isList(parameter: string): boolean {
  return parameter === "@" || parameter === "*";
}

function listOf(words: readonly Word[] | null, name: string): Expansion {
  const list = name === "*" ? JOINED : LIST;
  return words === null ? list : { ...list, isList: true, words };
}

/** `${@:2}`; every other operation on a list changes its words. */
function sliceValue({ parameter, operation }: ParameterExpansionPart, state: State): Expansion {
  if (operation?.type !== "Slice") return LIST;
  return listOf(sliceOf(state.positional, operation.offset.text, operation.length?.text), parameter);
}

const POSITIONAL = /^[1-9]\d{0,3}$/;

/** `$1`, `$0`; nothing is known of the others. */
function parameterValue(scope: Scope, name: string, { positional }: State): Expansion {
  // With `set -u` it fails, and a substitution that it stands in prints nothing.
  const mayEndSubstitution = scope.contexts.some((context) => context.endsWith("-substitution"));
  const word = name === "0" ? positional.name : POSITIONAL.test(name) ? parameterAt(positional, Number(name)) : null;
  if (word === null) return UNKNOWN;
  if (word === "unset" && mayEndSubstitution) return UNKNOWN;
  if (word === "unset") return { ...UNKNOWN, value: "" };
  if (word.kind === "literal") return { ...UNKNOWN, value: word.value };
  if (word.kind === "pattern" && mayVanish(scope)) return UNKNOWN;
  if (word.kind === "pattern") return { ...UNKNOWN, reason: "loop-variable", ...(word.root === undefined ? { glob: word.glob } : { start: word.root }) };
  if (word.prefix !== "") return { ...UNKNOWN, reason: word.reason, prefix: word.prefix };
  return { ...UNKNOWN, reason: word.reason, ...(word.isNumeric === true ? { isNumeric: true } : {}) };
}

function valueOf(scope: Scope, parameter: string, state: State): string | null {
  return isName(parameter) ? knownValue(scope, parameter, state) : parameterValue(scope, parameter, state).value;
}

/** Whether it is certain that `$1` is set. */
function isSet(parameter: string, { positional }: State): boolean {
  return POSITIONAL.test(parameter) && parameterAt(positional, Number(parameter)) !== "unset";
}

function operationValue(scope: Scope, part: ParameterExpansionPart, state: State): Expansion {
  const known = valueOf(scope, part.parameter, state);
  if (known === null || part.operation === undefined) return UNKNOWN;
  // A parameter takes no assignment: `${1:=x}` fails.
  if (!isName(part.parameter) && part.operation.type === "Default" && part.operation.operator.endsWith("=")) return UNKNOWN;
  // A parameter that is not set is empty to `${1:-x}`, and missing to `${1-x}`.
  if (!isName(part.parameter) && !isSet(part.parameter, state) && part.operation.type === "Default" && !part.operation.operator.startsWith(":")) return UNKNOWN;
  return { ...UNKNOWN, value: applyOperation(known, part.operation) };
}

function readOperation(scope: Scope, part: ParameterExpansionPart, state: State): void {
  const { operation } = part;
  if (operation === undefined) return;
  const span = spanOf(scope, part);
  visitSubstitutions(scope, operation, state);
  if (operation.type === "Unknown") addUndecidable(scope, "unsupported-syntax", span);
  else if (operation.type === "Transform") {
    if (operation.operand.text === "P") visitPrompt(scope, part, state);
    else if (!/^[QEAKkaUuL]$/.test(operation.operand.text)) addUndecidable(scope, "prompt-expansion", span);
  } else if (operation.type === "Slice") {
    readArithmetic(scope, operation.offset.text, span, state);
    if (operation.length !== undefined) readArithmetic(scope, operation.length.text, span, state);
  } else if (operation.type === "Default" && operation.operator.endsWith("=")) {
    recordAssignment(scope, { name: part.parameter, value: null, span, position: part.pos });
  }
}

/** `${x@P}` expands the value as a text in double quotes, but for escapes of its own. */
function visitPrompt(scope: Scope, part: ParameterExpansionPart, state: State): void {
  const span = spanOf(scope, part);
  const value = part.index === undefined ? valueOf(scope, part.parameter, state) : null;
  if (value === null || /[\\!"`]/.test(value)) addUndecidable(scope, "prompt-expansion", span);
  else if (value.includes("$"))
    apart(scope.walk, () => scope.walk.visitors.visitText({ ...scope, depth: scope.depth + 1 }, { text: `: "${value}"`, span, dialect: scope.dialect }, state));
}

/** What continues the word of a process substitution, from its end on. */
const GOES_ON = /^(?:[^\s;&|()<>`]|[<>]\()/;

type Substitution = { readonly pos: number; readonly end: number; readonly text: string; readonly script: ParsedScript | undefined };

/** Reads the commands of `$(…)`, backticks, `<(…)` or `>(…)`. They run in a subshell: nothing of their state stays. */
export function visitSubstitution(scope: Scope, part: Substitution, state: State): void {
  markVisited(scope, part);
  if (!spendNode(scope, part)) return;
  const span = spanOf(scope, part);
  const isProcess = part.text.startsWith("<") || part.text.startsWith(">");
  if (isProcess) notePipe(scope);
  // `<(id)#; rm x` and `<<< <(id)b rm x` are one word and more to bash; the parser begins a comment or another word.
  if (isProcess && GOES_ON.test(scope.source.text.slice(part.end, part.end + 2))) addUndecidable(scope, "unsupported-syntax", span);
  // `${ id; }` is a substitution from bash 5.3 on, and `$((id); id)` becomes one only after arithmetic failed; `<((` is tried as such too.
  if (part.text.startsWith("${") || /^[$<>]\(\(/.test(part.text)) addUndecidable(scope, "unsupported-syntax", span);
  // Where the end is missing, the parser and bash do not agree on what the substitution belongs to.
  if (!(part.text.startsWith("`") ? part.text.length > 1 && part.text.endsWith("`") : /[)}]$/.test(part.text)))
    addUndecidable(scope, "unsupported-syntax", span);
  if (part.script === undefined) {
    addUndecidable(scope, "parse-error", span);
    return;
  }
  if (!part.text.startsWith("`") && losesDocument(part.text, part.script)) addUndecidable(scope, "unsupported-syntax", span);
  const { walk } = scope;
  const { script } = part;
  const stdin: Stdin = part.text.startsWith(">") ? { kind: "inherited" } : shared(scope.stdin);
  const inner = { ...within(scope, isProcess ? "process-substitution" : "command-substitution"), stdin };
  // Backticks with escapes hold a text of their own, which is read as one more source.
  apart(walk, () =>
    script.source === undefined
      ? walk.visitors.visitScript(inner, script, state)
      : walk.visitors.visitText(inner, { text: script.source, span, dialect: scope.dialect }, state),
  );
}

/** Enough pipes leave no descriptor for that of a substitution. */
function notePipe(scope: Scope): void {
  const { found } = scope.walk;
  found.pipes += 1;
  if (found.pipes > LIMITS.maxPipes) noteLosing(scope);
}

/**
 * Bash 5.2 writes the body of `$(…)` anew from its own tree, and puts here-documents behind a whole list: `$(<<E a | b; c)`
 * becomes another pipeline. Only a body of one command or pipeline is sure to stay what it was.
 */
function losesDocument(text: string, script: ParsedScript): boolean {
  const [document, ...more] = [...text.matchAll(/(?<!<)<<(?!<)-?[ \t]*\\?['"]?([\w.-]*)/g)];
  if (document === undefined) return false;
  // Its end must stand in the substitution, on a line of its own.
  const isEnded = text
    .split("\n")
    .slice(1, -1)
    .some((line) => line.replace(/^\t+/, "") === document[1]);
  if (more.length > 0 || !isEnded) return true;
  const [only, ...others] = script.commands;
  if (only === undefined || others.length > 0 || only.background === true) return true;
  const { command } = only;
  if (command.type === "Pipeline") return command.prefixes.length > 0 || command.commands.some((each) => each.type !== "Command");
  return command.type !== "Command";
}

/**
 * Finds and reads the substitutions below a node whose own value does not matter. Nothing below counts as
 * quoted: in `${x['$(id)']}` and `"${x:-'$(id)'}"` bash runs what the quotes seem to protect.
 */
export function visitSubstitutions(scope: Scope, node: SyntaxNode, state: State): void {
  if (!spendNode(scope, node)) return;
  const { type } = node;
  if (type === "CommandExpansion" || type === "ProcessSubstitution" || type === "ArithmeticCommandExpansion") visitSubstitution(scope, node, state);
  else if (type === "ArithmeticExpansion") visitArithmetic(scope, node, state);
  else if (type === "ParameterExpansion") expandBraced(scope, node, state);
  else {
    if (type === "DoubleQuoted") for (const part of node.parts) checkQuotes(scope, part);
    // An ANSI-C string below a quoted expansion is no quote to bash.
    if (type === "DoubleQuoted" && node.text.includes("${") && node.text.includes("$'")) addUndecidable(scope, "uncovered-substitution", spanOf(scope, node));
    visitChildren(node, (child) => visitSubstitutions(scope, child, state));
  }
}

/**
 * Checks a part of a text in double quotes or of a here-document: in there, to POSIX a single quote is none, and hides no brace. So
 * `sh -c` runs rm in `"${x-'}"; rm y; "'}"`, which is one word to bash.
 */
export function checkQuotes(scope: Scope, part: SyntaxNode): void {
  if (scope.dialect !== "bash" && part.type === "ParameterExpansion" && part.text.includes("'"))
    addUndecidable(scope, "unsupported-syntax", spanOf(scope, part));
}

/** `$((…))` and `$[…]`. */
export function visitArithmetic(scope: Scope, node: SyntaxNode & { type: "ArithmeticExpansion" }, state: State): void {
  markVisited(scope, node);
  noteStop(scope, state);
  const text = node.text.startsWith("$((") ? node.text.slice(3, -2) : node.text.slice(2, -1);
  const { expression } = node;
  const hasInner = text.includes("$") || text.includes("`");
  readArithmetic(scope, hasInner && expression !== undefined ? withoutNumbers(scope, text, expression) : text, spanOf(scope, node), state);
  if (hasInner && expression !== undefined) visitSubstitutions(scope, expression, state);
}

/** An arithmetic text with an expansion that is a number in the place of each substitution that only prints numbers. */
function withoutNumbers(scope: Scope, text: string, expression: SyntaxNode): string {
  let plain = text;
  const replace = (child: SyntaxNode): void => {
    if (child.type !== "ArithmeticCommandExpansion") visitChildren(child, replace);
    else if (printsNumbers(child.script) !== null && !mayPrintTrap(scope)) plain = plain.replace(child.text, "$#");
  };
  replace(expression);
  return plain;
}
