import { readArithmetic } from "../words/arithmetic.ts";
import { BUILTINS } from "../builtins/builtins.ts";
import { recordRedirections, RESERVED, visitCommand } from "./simple-command.ts";
import { visitCondition } from "../commands/conditions.ts";
import { isKorn } from "../text/dialect.ts";
import { visitArithmeticFor, visitFor, visitSelect, visitWhile } from "./loops.ts";
import type { CommandContext, Stdin } from "../model/model.ts";
import { isTrustedForNumbers } from "../words/printed-numbers.ts";
import type { Case, CommandNode, CompoundList, Coproc, FunctionDefinition, If, Pipeline, PipelineNode, Redirected, Statement } from "../text/parse.ts";
import { echoedText } from "../words/printed-text.ts";
import type { Flow, State } from "../state/state.ts";
import { afterFlow, flowOf, mergeStates, NO_VARIABLES, withVariable } from "../state/state.ts";
import { visitSubstitutions } from "../words/expansions.ts";
import { noteDefinition, visitBody } from "../commands/functions.ts";
import { isInFunction, addUndecidable, apart, spanOf, spendNode, within } from "../state/scope.ts";
import { noteStop } from "../state/failures.ts";
import { isName, recordAssignment } from "../state/variables.ts";
import type { Scope } from "../state/walk.ts";
import { checkExtendedGlob } from "../words/parentheses.ts";
import { singleWord } from "../words/words.ts";

/** Reads statements in their order. */
export function visitStatements(scope: Scope, statements: readonly Statement[], state: State): Flow {
  let flow = flowOf(state);
  let before = state;
  for (const statement of statements) {
    before = afterFlow(flow, before);
    flow = visitStatement(scope, statement, before);
  }
  return flow;
}

export function visitList(scope: Scope, list: CompoundList, state: State): Flow {
  return visitStatements(scope, list.commands, state);
}

function visitStatement(scope: Scope, statement: Statement, state: State): Flow {
  if (!spendNode(scope, statement)) return flowOf(state);
  if (statement.background !== true) return visitChain(scope, statement.command, state);
  return isolate(scope, "background", (inner) => visitChain(inner, statement.command, state), state);
}

/** Reads what runs in a process of its own: its directory and variables stay there. */
function isolate(scope: Scope, context: CommandContext, read: (inner: Scope) => unknown, state: State): Flow {
  apart(scope.walk, () => read(within(scope, context)));
  return flowOf(state);
}

/** `a && b || c`: each part runs in what the parts before it left, if they ended the right way. */
function visitChain(scope: Scope, node: Statement["command"], state: State): Flow {
  if (node.type !== "AndOr") return visitPipelineNode(scope, node, state);
  let flow: Flow = flowOf(state);
  for (let index = 0; index < node.commands.length; index += 1) {
    const command = node.commands[index] as PipelineNode;
    if (index === 0) {
      flow = visitPipelineNode(scope, command, state);
      continue;
    }
    const isAnd = node.operators[index - 1] === "&&";
    const entry = isAnd ? flow.success : flow.failure;
    const next = visitPipelineNode(scope, command, entry ?? state);
    if (entry === null) continue;
    flow = isAnd
      ? { success: next.success, failure: mergeStates(flow.failure, next.failure) }
      : { success: mergeStates(flow.success, next.success), failure: next.failure };
  }
  return flow;
}

function visitPipelineNode(scope: Scope, node: PipelineNode, state: State): Flow {
  return node.type === "Pipeline" ? visitPipeline(scope, node, state) : visitNode(scope, node, state);
}

function visitPipeline(scope: Scope, node: Pipeline, state: State): Flow {
  // Where `!` stands alone, bash takes some ends of it and refuses others.
  if (node.commands.length === 0) addUndecidable(scope, "parse-error", spanOf(scope, node));
  // What bash writes anew of a substitution that is timed, it cannot always read again.
  const isTimed = node.prefixes.some((prefix) => prefix.type === "Time");
  if (isTimed && scope.contexts.some((context) => context.endsWith("-substitution"))) addUndecidable(scope, "reserved-word", spanOf(scope, node));
  const only = node.commands[0];
  if (node.commands.length === 1 && only !== undefined) {
    const flow = visitNode(scope, only, state);
    const isNegated = node.prefixes.filter((prefix) => prefix.type === "Negation").length % 2 === 1;
    return isNegated ? { success: flow.failure, failure: flow.success } : flow;
  }
  const { walk } = scope;
  const part = within(scope, "pipeline");
  let { stdin } = scope;
  for (let index = 0; index < node.commands.length; index += 1) {
    const from = walk.simples.length;
    visitPart(index === 0 ? part : { ...part, stdin }, node.commands[index] as CommandNode, state);
    const last = walk.simples.length - 1;
    stdin = last < from ? INHERITED : (echoed(scope, node, { index, from }) ?? pipeOf(node, { index, from, last }));
  }
  return flowOf(state);
}

const INHERITED: Stdin = { kind: "inherited" };

/** Reads a command of a pipeline, which runs in a process of its own, but for the last one in some shells. */
function visitPart(scope: Scope, command: CommandNode, state: State): void {
  const { walk } = scope;
  const { moves, shifts } = walk;
  apart(walk, () => {
    visitNode(scope, command, state);
    const hasChanged = walk.moves !== moves || walk.shifts !== shifts;
    if (hasChanged && isKorn(scope)) addUndecidable(scope, "unsupported-syntax", spanOf(scope, command));
  });
}

function pipeOf(node: Pipeline, at: { readonly index: number; readonly from: number; readonly last: number }): Stdin {
  const [command, reader] = [node.commands[at.index], node.commands[at.index + 1]];
  // Of `z=$(find .) | xargs cat` nothing goes into the pipe.
  const isPlain = command?.type === "Command" && command.name !== undefined && reader?.type === "Command";
  const isAlone = isPlain && at.last === at.from && node.operators[at.index] === "|";
  return isAlone ? { kind: "pipe", from: at.last, isAlone } : { kind: "pipe", from: at.last };
}

/** What a plain `echo` writes to one command alone: several would share it, each with a part of its own. `|&` adds what `set -x` tells of it. */
function echoed(scope: Scope, node: Pipeline, at: { readonly index: number; readonly from: number }): Stdin | null {
  const [command, reader] = [node.commands[at.index], node.commands[at.index + 1]];
  const isOne = reader?.type === "Command" && node.operators[at.index] === "|";
  const value = command === undefined || !isOne ? null : echoedText(scope, command, at.from);
  return value === null || command === undefined
    ? null
    : { kind: "text", text: { kind: "literal", value: `${value}\n`, quoted: true, span: spanOf(scope, command) } };
}

/** Reads one command, simple or compound. */
export function visitNode(scope: Scope, node: CommandNode, state: State): Flow {
  if (scope.walk.assumptions.mayStopAnywhere) noteStop(scope, state);
  if (node.type === "Command") return visitCommand(scope, node, state);
  if (!spendNode(scope, node)) return flowOf(state);
  if (scope.dialect === "sh" && BASH_ONLY.has(node.type)) addUndecidable(scope, "unsupported-syntax", spanOf(scope, node));
  switch (node.type) {
    case "Redirected":
      return visitRedirected(scope, node, state);
    case "BraceGroup":
      return visitList(within(scope, "group"), node.body, state);
    case "Subshell":
      // What begins like arithmetic and is none, bash reads again as one line.
      if (/^\(\([^]*\n/.test(scope.source.text.slice(node.pos, node.end))) addUndecidable(scope, "parse-error", spanOf(scope, node));
      return isolate(scope, "subshell", (inner) => visitList(inner, node.body, state), state);
    case "If":
      return visitIf(scope, node, state);
    case "While":
      return visitWhile(scope, node, state);
    case "For":
      return visitFor(scope, node, state);
    case "Select":
      return visitSelect(scope, node, state);
    case "Case":
      return visitCase(scope, node, state);
    case "Function":
      return visitFunction(scope, node, state);
    case "Coproc":
      return visitCoproc(scope, node, state);
    case "TestCommand":
      visitCondition(scope, node.expression, state);
      return flowOf(state);
    case "ArithmeticCommand":
      readArithmetic(scope, node.body, spanOf(scope, node), state);
      if (node.expression !== undefined) visitSubstitutions(scope, node.expression, state);
      return flowOf(state);
    case "ArithmeticFor":
      return visitArithmeticFor(scope, node, state);
  }
}

const BASH_ONLY = new Set(["Select", "Coproc", "TestCommand", "ArithmeticCommand", "ArithmeticFor"]);

function visitRedirected(scope: Scope, node: Redirected, state: State): Flow {
  recordRedirections(scope, node.redirects, { state, span: spanOf(scope, node) });
  const feeds = node.redirects.some(
    ({ operator, descriptor }) => operator.startsWith("<") || (descriptor?.type === "FileDescriptor" && descriptor.value === 0),
  );
  const stdin: Stdin = feeds ? { kind: "inherited" } : scope.stdin;
  const flow = visitNode({ ...scope, stdin, depth: scope.depth + 1 }, node.command, state);
  // A redirection that fails keeps the command from running.
  return { success: flow.success, failure: mergeStates(flow.failure, state) };
}

function visitIf(scope: Scope, node: If, state: State): Flow {
  const condition = within(scope, "condition");
  let clause = visitList(condition, node.clause, state);
  let after = visitList(condition, node.then, clause.success ?? state);
  let entry = clause.failure;
  for (const branch of node.elif) {
    clause = visitList(condition, branch.clause, entry ?? state);
    after = joinFlows(after, visitList(condition, branch.then, clause.success ?? state));
    entry = clause.failure;
  }
  if (node.else !== undefined) return joinFlows(after, visitList(condition, node.else, entry ?? state));
  return { success: mergeStates(after.success, entry), failure: after.failure };
}

function joinFlows(one: Flow, other: Flow): Flow {
  return { success: mergeStates(one.success, other.success), failure: mergeStates(one.failure, other.failure) };
}

function visitCase(scope: Scope, node: Case, state: State): Flow {
  const inner = within(scope, "condition");
  checkExtendedGlob(scope, node.word);
  singleWord(scope, node.word, { state, place: "text" });
  let after = flowOf(state);
  let through: State | null = null;
  for (const item of node.items) {
    for (const pattern of item.pattern) {
      checkExtendedGlob(scope, pattern);
      singleWord(scope, pattern, { state, place: "text" });
    }
    const flow = visitList(inner, item.body, mergeStates(state, through) ?? state);
    through = item.terminator === ";;" || item.terminator === undefined ? through : mergeStates(through, afterFlow(flow, state));
    after = joinFlows(after, flow);
  }
  return after;
}

// Bash and zsh call it themselves, in the place of every program that they do not find.
const CALLED_BY_BASH = /^command_not_found_handler?$/;

/** The body of a function is read where it is defined, whether it is called or not. */
function visitFunction(scope: Scope, node: FunctionDefinition, state: State): Flow {
  const { walk } = scope;
  const name = node.name.value;
  const span = spanOf(scope, node.name);
  if (node.name.text !== name || BUILTINS.has(name) || CALLED_BY_BASH.test(name) || isTrustedForNumbers(name) || !/^[\w.:+@-]+$/.test(name))
    addUndecidable(scope, "function-override", span);
  if (noteDefinition(scope, node, name)) return flowOf(withVariable(state, `${name}()`, ""));
  const { moves } = walk;
  const defined = withVariable(state, `${name}()`, "");
  const positional = { ...state.positional, words: null };
  // What is local to the function around it is gone when it is called.
  const { variables } = isInFunction(scope) ? withVariable({ ...state, variables: NO_VARIABLES }, `${name}()`, "") : defined;
  const entry: State = { ...defined, variables, positional, directories: walk.assumptions.laterIsElsewhere ? null : state.directories };
  apart(walk, () => {
    walk.stopped = null;
    visitBody({ ...within(scope, "function"), stdin: { kind: "inherited" } }, node.body, entry);
    if (walk.moves !== moves) walk.found.functionsMove = true;
    if (walk.stopped !== null) walk.found.functionsStop = true;
  });
  return flowOf(defined);
}

function visitCoproc(scope: Scope, node: Coproc, state: State): Flow {
  const name = node.name?.value ?? "COPROC";
  const span = spanOf(scope, node);
  if (!isName(name)) addUndecidable(scope, "unsupported-syntax", span);
  scope.walk.ledger.arrays.add(name);
  for (const each of [name, `${name}_PID`]) recordAssignment(scope, { name: each, value: null, span, position: node.pos });
  const { body } = node;
  // `coproc x done`: what may be the name of the coprocess is followed by a keyword.
  const second = body.type === "Command" ? body.suffix[0] : undefined;
  if (second?.type === "Word" && RESERVED.has(second.text)) addUndecidable(scope, "reserved-word", span);
  const read = (inner: Scope): Flow => (body.type === "CompoundList" ? visitList(inner, body, state) : visitNode(inner, body, state));
  return isolate({ ...scope, stdin: { kind: "inherited" } }, "coproc", read, state);
}
