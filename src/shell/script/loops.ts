import { readArithmetic } from "../words/arithmetic.ts";
import { visitSubstitutions } from "../words/expansions.ts";
import { LIMITS } from "../model/limits.ts";
import { isListed, readLists } from "../words/printed-names.ts";
import { readAssignedListings } from "../commands/glob-reads.ts";
import { dynamicWord, openWord } from "../model/words.ts";
import { addUndecidable, spanOf, within } from "../state/scope.ts";
import type { Word } from "../model/model.ts";
import type { ArithmeticFor, For, Select, While } from "../text/parse.ts";
import { repeat } from "../state/repeat.ts";
import type { Flow, State } from "../state/state.ts";
import { flowOf, mergeStates } from "../state/state.ts";
import { assign, assignFile, isName, isNumber, recordAssignment } from "../state/variables.ts";
import type { Scope } from "../state/walk.ts";
import { appendWord } from "../words/words.ts";

/** `while` and `until`. The body may run any number of times. */
export function visitWhile(scope: Scope, node: While, state: State): Flow {
  const { walk } = scope;
  const inner = within(scope, "loop");
  const read = (entry: State): Flow => {
    const clause = walk.visitors.visitList(within(scope, "condition"), node.clause, entry);
    walk.visitors.visitList(inner, node.body, (node.kind === "while" ? clause.success : clause.failure) ?? entry);
    return clause;
  };
  return repeat(scope, state, read);
}

/** `for` over words. Over a few known words, the body is read once for each of them. */
export function visitFor(scope: Scope, node: For, state: State): Flow {
  if (!isName(node.name.text)) addUndecidable(scope, "unsupported-syntax", spanOf(scope, node.name));
  const words: Word[] = [];
  if (node.wordlist === undefined) words.push(...(state.positional.words ?? [unknownWords(scope, node)]));
  for (const word of node.wordlist ?? []) appendWord(scope, word, { state, place: "operand" }, words);
  const from = scope.walk.effects.length;
  const flow = words.some(isListed) ? visitListed(scope, node, words, state) : visitBodies(scope, node, words, state);
  if (node.wordlist !== undefined) readAssignedListings(scope, node.name.value, words, { state, span: spanOf(scope, node.name), from });
  return flow;
}

/** Over the names of one list, whatever one of them is named, and over words that nobody knows, where a name becomes such words. */
function visitListed(scope: Scope, node: For, words: readonly Word[], state: State): Flow {
  const { certain, open, through } = readLists(words);
  if (through === null || through.as !== "paths" || certain.length !== words.length) return visitBodies(scope, node, open, state);
  const one = new Map(certain.map((word) => [word.root, word]));
  const flow = visitBodies(scope, node, [...one.values()], state);
  const other = visitBodies({ ...scope, through }, node, open, state);
  return { success: mergeStates(flow.success, other.success), failure: mergeStates(flow.failure, other.failure) };
}

function visitBodies(scope: Scope, node: For, words: readonly Word[], state: State): Flow {
  const { walk } = scope;
  const inner = within(scope, "loop");
  const isKnown = words.length > 0 && words.every((word) => word.kind !== "dynamic");
  const bodies = walk.loopBodies * words.length;
  if (!isKnown || bodies > LIMITS.maxLoopBodies) {
    const word = words.length > 0 && words.every(isNumberForCertain) ? numberAt(scope, node) : null;
    recordVariable(scope, node, word);
    return repeat(scope, state, (entry) => walk.visitors.visitList(inner, node.body, word === null ? entry : bind(scope, node, { word, state: entry })));
  }
  const before = walk.loopBodies;
  walk.loopBodies = bodies;
  const flow = repeat(scope, state, (entry) => {
    for (const word of words) walk.visitors.visitList(inner, node.body, bind(scope, node, { word, state: entry }));
    return flowOf(entry);
  });
  walk.loopBodies = before;
  return flow;
}

/** A number, and not nothing. */
function isNumberForCertain(word: Word): boolean {
  const mayBeEmpty = word.kind === "literal" ? word.value === "" : word.kind === "dynamic" && word.isSingle === true && word.isNumeric === true;
  return isNumber(word) && !mayBeEmpty;
}

function bind(scope: Scope, node: For, to: { readonly word: Word; readonly state: State }): State {
  const { word, state } = to;
  const assigned = { name: node.name.value, span: spanOf(scope, node.name), position: node.name.pos };
  if (word.kind === "pattern") return assignFile(scope, { ...assigned, value: null }, { state, word });
  return assign(scope, { ...assigned, value: word }, state);
}

/** The positional parameters, where they are not known. */
function unknownWords(scope: Scope, node: For): Word {
  return dynamicWord("parameter", "", spanOf(scope, node.name));
}

/** Some number: what a loop over numbers puts into its variable. */
function numberAt(scope: Scope, node: For): Word {
  return openWord("arithmetic", "", spanOf(scope, node.name));
}

function recordVariable(scope: Scope, node: For | Select, value: Word | null): void {
  recordAssignment(scope, { name: node.name.value, value, span: spanOf(scope, node.name), position: node.name.pos });
}

/** `select`: the person at the terminal chooses, so nothing of it is known. */
export function visitSelect(scope: Scope, node: Select, state: State): Flow {
  if (!isName(node.name.text)) addUndecidable(scope, "unsupported-syntax", spanOf(scope, node.name));
  const words: Word[] = [];
  for (const word of node.wordlist ?? []) appendWord(scope, word, { state, place: "argument" }, words);
  readAssignedListings(scope, node.name.value, words, { state, span: spanOf(scope, node.name), from: scope.walk.effects.length });
  recordVariable(scope, node, null);
  return repeat(scope, state, (entry) => scope.walk.visitors.visitList(within(scope, "loop"), node.body, entry));
}

/** `for ((…; …; …))`. */
export function visitArithmeticFor(scope: Scope, node: ArithmeticFor, state: State): Flow {
  for (const expression of [node.initialize, node.test, node.update]) {
    if (expression === undefined) continue;
    readArithmetic(scope, scope.source.text.slice(expression.pos, expression.end), spanOf(scope, expression), state);
    visitSubstitutions(scope, expression, state);
  }
  return repeat(scope, state, (entry) => scope.walk.visitors.visitList(within(scope, "loop"), node.body, entry));
}
