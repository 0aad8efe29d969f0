import type { SimpleCommand } from "../model/model.ts";
import type { FunctionDefinition } from "../text/parse.ts";
import { boundedWords } from "../state/parameters.ts";
import type { Flow, State } from "../state/state.ts";
import { flowOf, mergeStates } from "../state/state.ts";
import type { Definition, Names } from "../state/walk.ts";
import { placeOf, shared, spendNode } from "../state/scope.ts";
import type { Scope } from "../state/walk.ts";

/**
 * Notes a definition. Returns true if its body is read at each call, with the words of that call. That is exact if the name has one definition,
 * no call comes before it and no call is recursive. A function that is never called is read where it is defined.
 */
export function noteDefinition(scope: Scope, node: FunctionDefinition, name: string): boolean {
  const { walk } = scope;
  const { found, assumptions } = walk;
  const place = placeOf(scope, node.pos);
  const { functions, general, definitions } = found.names;
  const known = functions.get(name);
  if (known !== undefined && known !== place) general.add(name);
  functions.set(name, place);
  if (!isFollowed(scope, name)) return false;
  const earlier = definitions.get(name);
  if (earlier === undefined || earlier.scope.shell === scope.shell)
    definitions.set(name, { body: node.body, scope, isActive: earlier?.isActive ?? false, isRead: earlier?.isRead ?? false });
  else general.add(name);
  return !assumptions.general.has(name);
}

function isFollowed(scope: Scope, name: string): boolean {
  const { assumptions } = scope.walk;
  return assumptions.followed.has(name) && !assumptions.general.has(name) && assumptions.isFollowing;
}

/** The body that a call runs; null where it is read otherwise, or where there is none. */
export function findDefinition(scope: Scope, name: string): Definition | null {
  const { found, assumptions } = scope.walk;
  if (found.noted?.functions.has(name) === true || assumptions.functions.has(name)) found.names.called.add(name);
  if (!assumptions.functions.has(name) || !isFollowed(scope, name)) return null;
  const definition = found.names.definitions.get(name);
  // A shell that was started from here may have been given the function.
  const isOwn = definition?.scope.shell === scope.shell;
  if (definition !== undefined && isOwn && !definition.isActive) return definition;
  found.names.general.add(name);
  return null;
}

/** What no call led to is read where it is defined: something else may run it. */
export function noteUnread({ definitions, general }: Names): void {
  for (const [name, { isRead }] of definitions) if (!isRead) general.add(name);
}

type Call = { readonly definition: Definition; readonly simple: SimpleCommand; /** The function exists for certain. */ readonly isCertain: boolean };

/**
 * Reads the body of a function with the words of a call. Each call is a source of its own, so that what it assigns is another
 * place than what other calls assign. Behind it the parameters are the caller's again, and nothing that it assigned is known:
 * it may have been local.
 */
export function callFunction(scope: Scope, { definition, simple, isCertain }: Call, state: State): Flow {
  const { walk } = scope;
  const { source, dialect } = definition.scope;
  if (!spendNode(scope, { pos: simple.span.start, end: simple.span.end })) return flowOf(state);
  walk.sources += 1;
  const inner: Scope = {
    ...scope,
    source: { ...source, id: walk.sources },
    dialect,
    contexts: [...scope.contexts, "function"],
    stdin: shared(simple.stdin),
    depth: scope.depth + 1,
  };
  const words = walk.assumptions.trapsShift ? null : boundedWords(simple.argv.slice(1));
  const { found, shifts, stopped } = walk;
  const { returned } = found;
  found.returned = null;
  walk.stopped = null;
  definition.isActive = true;
  definition.isRead = true;
  const flow = visitBody(inner, definition.body, { ...state, positional: { ...state.positional, words } });
  definition.isActive = false;
  const early = found.returned;
  found.returned = returned;
  walk.shifts = shifts;
  walk.stopped = mergeStates(stopped, behind(walk.stopped, state));
  const isPlain = isCertain && simple.redirections.length === 0 && simple.assignments.length === 0;
  return {
    success: behind(mergeStates(mergeStates(flow.success, early), isPlain ? null : state), state),
    failure: behind(mergeStates(mergeStates(flow.failure, early), isPlain ? null : state), state),
  };
}

function behind(after: State | null, before: State): State | null {
  return after === null ? null : { ...before, directories: after.directories };
}

/** Reads the body of a function. */
export function visitBody(scope: Scope, body: FunctionDefinition["body"], state: State): Flow {
  const { visitors } = scope.walk;
  return body.type === "CompoundList" ? visitors.visitList(scope, body, state) : visitors.visitNode(scope, body, state);
}

/** Notes what holds where a function returns. */
export function noteReturn(scope: Scope, state: State): void {
  const { walk } = scope;
  walk.leaves += 1;
  if (scope.contexts.lastIndexOf("trap") > scope.contexts.lastIndexOf("function")) walk.found.trapsReturn = true;
  else walk.found.returned = mergeStates(walk.found.returned, state);
}
