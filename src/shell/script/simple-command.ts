import { mayHoldBraces } from "../words/braces.ts";
import { BUILTINS } from "../builtins/builtins.ts";
import { checkNumbers } from "../builtins/numeric-operands.ts";
import { textOf } from "../builtins/builtin.ts";
import type { BuiltinCall } from "../builtins/builtin.ts";
import { isPortableName } from "../text/dialect.ts";
import { readSubscript } from "../words/arithmetic.ts";
import { isInFunction, addUndecidable, spanAt, spanOf } from "../state/scope.ts";
import type { Redirection, SimpleCommand, Word } from "../model/model.ts";
import type { Assignment, Command, RedirectionNode, WordNode } from "../text/parse.ts";
import { callFunction, findDefinition } from "../commands/functions.ts";
import { omissionsOf } from "../commands/nullglob.ts";
import { applyProgram, checkProgramName, isCertainFunction, runExternal } from "../commands/run-program.ts";
import { bareSimple, recordSimple } from "../commands/add-command.ts";
import type { NewSimple } from "../commands/add-command.ts";
import { readListedWords } from "./list-arguments.ts";
import { isListed } from "../words/printed-names.ts";
import { readAssignedListings, readListings } from "../commands/glob-reads.ts";
import { readRedirections, stdinOf } from "../commands/redirections.ts";
import { flowOf, mergeStates } from "../state/state.ts";
import type { Flow, State } from "../state/state.ts";
import { visitSubstitutions } from "../words/expansions.ts";
import { assign, isName, mayLose, recordAssignment, settingOf } from "../state/variables.ts";
import { isSteering } from "../state/hot-variables.ts";
import { isReadOnly, noteStop, takesNoList } from "../state/failures.ts";
import type { Scope } from "../state/walk.ts";
import { appendWord, singleWord } from "../words/words.ts";
import { isPipe, dynamicWord, openWord } from "../model/words.ts";

type AssignmentRecord = SimpleCommand["assignments"][number] & { readonly node: Assignment };

export const RESERVED: ReadonlySet<string> = new Set([
  "if",
  "then",
  "else",
  "elif",
  "fi",
  "do",
  "done",
  "case",
  "esac",
  "while",
  "until",
  "for",
  "in",
  "function",
  "select",
  "time",
  "coproc",
  "!",
  "{",
  "}",
  "[[",
  "]]",
]);

/** Reads a simple command: assignments, redirections, words, and what the program does with them. */
export function visitCommand(scope: Scope, node: Command, state: State): Flow {
  const assignments = readAssignments(scope, node, state);
  const redirections = node.redirects.length === 0 ? [] : readRedirections(scope, node.redirects, state);
  const words: Word[] = [];
  if (node.name !== undefined) readWords(scope, node, state, words);
  const listed = words.some(isListed) ? readListedWords(scope, words) : null;
  const argv = listed?.argv ?? words;
  const first = argv[0];
  if (first === undefined) {
    if (redirections.length > 0)
      recordSimple(scope, state, { argv, assignments, redirections, stdin: stdinOf(redirections, scope.stdin), span: spanOf(scope, node) });
    return flowOf(keepAssignments(scope, assignments, { state, isCertain: redirections.length === 0 && node.name === undefined }));
  }
  const added: NewSimple = { argv, assignments, redirections, stdin: stdinOf(redirections, scope.stdin), span: spanAt(scope, node.pos, node.end) };
  const from = scope.walk.effects.length;
  const index = recordSimple(scope, state, added);
  passAssignments(scope, assignments, first);
  if (node.name !== undefined && RESERVED.has(node.name.text)) addUndecidable(scope, "reserved-word", first.span, index);
  checkPortable(scope, first, index);
  if (redirections.some(mayTakePipe) && argv.some(isPipe)) addUndecidable(scope, "unsupported-syntax", first.span, index);
  const isKnown = checkProgramName(scope, first, index) && first.kind === "literal";
  const flow = isKnown ? runProgram(scope, { name: first.value, index, node }, state) : flowOf(state);
  readListings(scope, argv, { index, from, state });
  const others = listed?.others ?? null;
  if (others !== null) {
    runExternal(scope, others.without, { span: added.span, state });
    runExternal({ ...scope, through: others.through }, others.open, { span: added.span, state });
  }
  return flow;
}

function runProgram(scope: Scope, program: { readonly name: string; readonly index: number; readonly node: Command }, state: State): Flow {
  const simple = scope.walk.simples[program.index];
  if (BUILTINS.has(program.name) && simple !== undefined)
    return unlessRedirectionFails(
      scope,
      simple,
      callBuiltin(scope, { simple, index: program.index, words: simple.argv.slice(1), node: program.node }, state),
      state,
    );
  const flow = applyProgram(scope, program.index, state);
  const definition = findDefinition(scope, program.name);
  if (definition !== null && simple !== undefined)
    return unlessRedirectionFails(scope, simple, callFunction(scope, { definition, simple, isCertain: isCertainFunction(scope, simple, state) }, state), state);
  const { assumptions } = scope.walk;
  if (!assumptions.functions.has(program.name)) return flow;
  const after = assumptions.functionsMove ? { ...state, directories: moved(scope) } : state;
  // With `FUNCNEST` in the environment a function that calls itself fails at some depth, and its line ends.
  if (assumptions.functionsStop || isInFunction(scope)) noteStop(scope, after);
  return assumptions.functionsMove ? flowOf(after) : flow;
}

/** A redirection that fails keeps a builtin or a function from running; those to `/dev/null` do not fail while descriptors are left, and those between descriptors do where one was closed. */
function unlessRedirectionFails(scope: Scope, { redirections }: SimpleCommand, flow: Flow, state: State): Flow {
  return redirections.length === 0 || (redirections.every(isCertain) && !mayLose(scope))
    ? flow
    : { success: flow.success, failure: mergeStates(flow.failure, state) };
}

function isCertain({ effect, target }: Redirection): boolean {
  if (effect === "text") return true;
  return effect !== "duplicate" && target.kind === "literal" && target.value === "/dev/null";
}

/** The words come first: in `cat <(ls) 63>> f` the name of the pipe becomes that of `f`. */
function mayTakePipe({ fd }: Redirection): boolean {
  return fd === null || fd > 2;
}

function moved(scope: Scope): null {
  scope.walk.moves += 1;
  return null;
}

function readWords(scope: Scope, node: Command, state: State, argv: Word[]): void {
  if (node.name !== undefined) appendWord(scope, node.name, { state, place: "argument" }, argv);
  let end = node.name?.end ?? -1;
  let before: WordNode | null = null;
  for (const child of node.suffix) {
    const isAttached = child.pos === end && child.type === "Word";
    ({ end } = child);
    if (isAttached) attachWord(scope, { node: child, before }, state, argv);
    else if (child.type === "Word") appendWord(scope, child, { state, place: "operand" }, argv);
    else if (child.type === "Assignment") {
      checkList(scope, node, child);
      argv.push(assignmentWord(scope, child, state));
    }
    before = child.type === "Word" && !isAttached ? child : null;
  }
}

type Attached = { readonly node: WordNode; /** The word that it stands at. */ readonly before: WordNode | null };

/** `a>(id)` is one word to bash and two to the parser. */
function attachWord(scope: Scope, { node, before }: Attached, state: State, argv: Word[]): void {
  const isPlain = before !== null && before.parts === undefined && /^[\w./:@%+-]*[A-Za-z./:@%+-]$/.test(before.text);
  const isOne = node.parts?.length === 1 && node.parts[0]?.type === "ProcessSubstitution" && node.parts[0].script?.commands.length !== 0;
  if (!isPlain || !isOne) addUndecidable(scope, "unsupported-syntax", spanOf(scope, node));
  appendWord(scope, node, { state, place: "argument" }, argv);
  if (isPlain && isOne) argv.splice(-2, 2, openWord("process-substitution", before.text, spanOf(scope, before)));
}

/** An assignment among the arguments of `export` or `declare`, as the word that the builtin gets. */
function assignmentWord(scope: Scope, node: Assignment, state: State): Word {
  const span = spanOf(scope, node);
  const head = `${node.name}${node.append === true ? "+=" : "="}`;
  const value = readValue(scope, node, state);
  // A list is assigned before the builtin reads a word, whatever its options say, and by `alias` too.
  if (node.value.type === "ArrayValue") recordAssignment(scope, { name: node.name, value: null, span, position: node.pos });
  if (scope.dialect === "sh" && splitsInSomeShells(node, value)) addUndecidable(scope, "unsupported-syntax", span);
  // Braces in an argument make several assignments of it.
  if (mayHoldBraces(node.text)) return dynamicWord("brace-expansion", head, span);
  if (node.index !== undefined || value === null) return openWord("parameter", head, span);
  if (value.kind === "literal") return { kind: "literal", value: head + value.value, quoted: value.quoted, span };
  const prefix = value.kind === "dynamic" ? value.prefix : "";
  return openWord(value.kind === "dynamic" ? value.reason : "parameter", head + prefix, span);
}

/** Dash before 0.5.11 splits `export x=$y` into words, each an assignment of its own. */
function splitsInSomeShells({ value: given }: Assignment, value: Word | null): boolean {
  if (given.type === "ArrayValue") return false;
  if (value?.kind === "literal" && /^[\w./:@%+,=-]*$/.test(value.value)) return false;
  return given.parts?.some(({ type }) => type === "SimpleExpansion" || type === "ParameterExpansion" || type === "CommandExpansion") ?? false;
}

function readAssignments(scope: Scope, node: Command, state: State): readonly AssignmentRecord[] {
  const records: AssignmentRecord[] = [];
  for (const child of node.prefix) {
    if (child.type !== "Assignment") continue;
    checkList(scope, node, child);
    if (isReadOnly(child.name)) noteStop(scope, state);
    records.push({ name: child.name, value: readValue(scope, child, state), append: child.append === true, span: spanOf(scope, child), node: child });
  }
  return records;
}

/** Behind a redirection, a list is none to bash. */
function checkList(scope: Scope, node: Command, child: Assignment): void {
  const isList = child.value.type === "ArrayValue";
  if (isList && node.redirects.some((redirect) => redirect.pos < child.pos)) addUndecidable(scope, "unsupported-syntax", spanOf(scope, child));
}

/** The value of an assignment; null for an array. */
function readValue(scope: Scope, node: Assignment, state: State): Word | null {
  const span = spanOf(scope, node);
  if (node.index !== undefined) {
    // To other shells it is a word, and zsh sets what its commands and functions are by subscripts.
    if (scope.dialect === "sh") addUndecidable(scope, "unsupported-syntax", span);
    // Of an assignment `@` and `*` are no subscripts, and end the line.
    noteStop(scope, state);
    readSubscript(scope, node.index.text, span, state);
    visitSubstitutions(scope, node.index, state);
  }
  if (!isName(node.name)) addUndecidable(scope, "unsupported-syntax", span);
  if (node.index !== undefined || node.value.type === "ArrayValue") scope.walk.ledger.arrays.add(node.name);
  if (node.value.type === "ArrayValue") {
    if (takesNoList(node.name)) noteStop(scope, state);
    // Where bash writes the body of a substitution anew, it drops the backslashes of a list: `$(a=(x\)\;rm\ y\;b=\(z))` runs rm.
    const isWrittenAnew = scope.contexts.some((context) => context.endsWith("-substitution"));
    if (isWrittenAnew && scope.source.text.slice(node.pos, node.end).includes("\\")) addUndecidable(scope, "unsupported-syntax", span);
    const words = node.value.elements.flatMap((element) => readElement(scope, element, state));
    readAssignedListings(scope, node.name, words, { state, span, from: scope.walk.effects.length });
    return null;
  }
  // Text behind an array literal: the parser drops the substitutions in it.
  if (node.value.text.startsWith("(")) addUndecidable(scope, "unsupported-syntax", span);
  return singleWord(scope, node.value, { state, place: "value" });
}

function readElement(scope: Scope, element: WordNode, state: State): readonly Word[] {
  const subscript = /^\[([^]*?)\]\+?=/.exec(element.text);
  if (subscript !== null) {
    noteStop(scope, state);
    readSubscript(scope, subscript[1] ?? "", spanOf(scope, element), state);
  }
  const words: Word[] = [];
  appendWord(scope, element, { state, place: "argument" }, words);
  return words;
}

/** Assignments without a command change the shell's own variables. */
function keepAssignments(scope: Scope, records: readonly AssignmentRecord[], at: { readonly state: State; readonly isCertain: boolean }): State {
  let { state } = at;
  for (const record of records) {
    const assigned = { name: record.name, value: record.value, span: record.span, position: record.node.pos };
    const isPlain = at.isCertain && !record.append && record.node.index === undefined;
    if (isPlain) state = assign(scope, assigned, state);
    else recordAssignment(scope, record.append ? { ...assigned, value: null } : assigned);
  }
  return state;
}

/** Assignments before a command are given to it alone. */
function passAssignments(scope: Scope, records: readonly AssignmentRecord[], program: Word): void {
  for (const record of records) {
    // `IFS= read` only changes how `read` splits its line.
    if (record.name === "IFS" && program.kind === "literal" && program.value === "read" && record.value?.kind === "literal") continue;
    recordAssignment(scope, { name: record.name, value: record.value, span: record.span, position: record.node.pos });
    if (isSteering(record.name, settingOf(record.value))) addUndecidable(scope, "hot-variable", record.span);
  }
}

/** The redirections of a compound command, as a command without words, so that their effects have one. */
export function recordRedirections(scope: Scope, nodes: readonly RedirectionNode[], at: { readonly state: State; readonly span: SimpleCommand["span"] }): void {
  const redirections = readRedirections(scope, nodes, at.state);
  if (redirections.length === 0) return;
  recordSimple(scope, at.state, { argv: [], assignments: [], redirections, stdin: { kind: "inherited" }, span: at.span });
}

/** Reads a command that `command` or `builtin` runs: a builtin of this shell, or else a program. */
export function visitArgv(scope: Scope, argv: readonly Word[], state: State): Flow {
  const first = argv[0];
  const builtin = first?.kind === "literal" ? BUILTINS.get(first.value) : undefined;
  if (first === undefined) return flowOf(state);
  checkPortable(scope, first);
  if (builtin === undefined) return runExternal(scope, argv, { span: argv[argv.length - 1]?.span ?? first.span, state });
  const span = { start: first.span.start, end: Math.max(first.span.end, argv[argv.length - 1]?.span.end ?? 0) };
  const index = recordSimple(scope, state, bareSimple(scope, argv, span));
  const simple = scope.walk.simples[index];
  return simple === undefined ? flowOf(state) : callBuiltin(scope, { simple, index, words: argv.slice(1), node: null }, state);
}

/** Dash runs `chdir` itself, and knows no `declare`, however its name is quoted. */
function checkPortable(scope: Scope, word: Word, index = -1): void {
  if (scope.dialect === "bash") return;
  const name = textOf(word);
  if (name !== null && !isPortableName(scope, name, BUILTINS.has(name))) addUndecidable(scope, "unsupported-syntax", word.span, index);
}

function callBuiltin(scope: Scope, call: BuiltinCall, state: State): Flow {
  checkNumbers(scope, call);
  const builtin = BUILTINS.get(textOf(call.simple.argv[0]) ?? "");
  if (builtin === undefined) return flowOf(state);
  let flow = builtin(scope, call, state);
  // Behind `set --` there is no other word whose place a pattern could take.
  if (call.simple.program === "set" && textOf(call.words[0]) === "--") return flow;
  for (const [, ...words] of omissionsOf(scope, call.simple.argv, call.simple.span)) {
    const other = builtin(scope, { ...call, words }, state);
    flow = { success: mergeStates(flow.success, other.success), failure: mergeStates(flow.failure, other.failure) };
  }
  return flow;
}
