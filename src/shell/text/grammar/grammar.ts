import { checkArithmeticFor, checkCase, checkCoproc, checkFor, checkFunction, checkLists, checkSubshell, partsOfIf } from "./compound.ts";
import { END, expect, gapOf, inOrder, LINES, MAY_END, NOTHING } from "./between.ts";
import type { Place, Reading } from "./between.ts";
import type { Command, ParsedScript, Pipeline, Statement, SyntaxNode } from "../parse.ts";
import { visitChildren } from "../parse.ts";
import { checkTest } from "./test-command.ts";

// The parser goes on where bash refuses a text: it skips a stray `;`, a parenthesis, whatever stands behind a keyword. So what stands between the
// nodes of its tree is held against bash's own grammar (parse.y of bash 5.2), piece by piece. Patterns are over tokens with a blank behind each.

const ENDED = gapOf(END, "; ");
const ENDED_OR_NOT = gapOf(MAY_END);
const BLANK_LINES = gapOf(LINES);
const AND = gapOf(`&& ${LINES}`, " && ");
const OR = gapOf(String.raw`\|\| ${LINES}`, " || ");
const PIPE = gapOf(String.raw`\| ${LINES}`, " | ");
const PIPE_BOTH = gapOf(String.raw`\|& ${LINES}`);
const BACKGROUND = gapOf("& ", " &");

/** A text without any of these is one simple command. */
const STRUCTURED = /[;&|(){}<>#!`\n]/;

/** Where a text holds something between the nodes of its tree that bash does not take there; null where it does not. */
export function findStray(text: string, script: ParsedScript): number | null {
  if (!STRUCTURED.test(text)) return null;
  const reading: Reading = { text, documents: text.includes("<<") ? documentsOf(script) : NO_DOCUMENTS, problem: null };
  checkScript(reading, script, { from: 0, to: text.length });
  return reading.problem;
}

const NO_DOCUMENTS: Reading["documents"] = new Map();

function documentsOf(script: ParsedScript): Reading["documents"] {
  const documents = new Map<number, number>();
  noteDocuments(script, documents);
  return documents;
}

function noteDocuments(node: SyntaxNode, documents: Map<number, number>): void {
  if (node.type === "HereDoc") documents.set(node.body.pos, node.closing?.end ?? node.body.end);
  visitChildren(node, (child) => noteDocuments(child, documents));
}

function checkScript(reading: Reading, script: ParsedScript, bounds: { readonly from: number; readonly to: number }): void {
  const [first, last] = [script.commands[0], script.commands.at(-1)];
  if (first === undefined || last === undefined) {
    expect(reading, bounds.from, bounds.to, BLANK_LINES);
    return;
  }
  expect(reading, bounds.from, first.pos, BLANK_LINES);
  checkStatements(reading, script.commands);
  expect(reading, last.end, bounds.to, last.background === true ? BLANK_LINES : ENDED_OR_NOT);
}

function checkStatements(reading: Reading, statements: readonly Statement[]): void {
  let before: Statement | undefined;
  for (const statement of statements) {
    if (before !== undefined) expect(reading, before.end, statement.pos, before.background === true ? BLANK_LINES : ENDED);
    checkNode(reading, statement);
    before = statement;
  }
}

type Checks = { readonly [Type in SyntaxNode["type"]]?: (reading: Reading, node: Extract<SyntaxNode, { type: Type }>) => void };

/** What stands between the parts of each kind of node that has several. */
const CHECKS: Checks = {
  AndOr: (reading, node) => inOrder(reading, node.commands, (index) => (node.operators[index] === "&&" ? AND : OR)),
  Redirected: (reading, node) => inOrder(reading, [node.command, ...node.redirects], () => NOTHING),
  Redirect: checkRedirection,
  HereString: checkRedirection,
  HereDoc: checkRedirection,
  ArrayValue: (reading, { pos, end, elements }) => inOrder(reading, [{ pos, end: pos + 1 }, ...elements, { pos: end - 1, end }], () => BLANK_LINES),
  TestCommand: checkTest,
  Subshell: checkSubshell,
  BraceGroup: (reading, node) => checkLists(reading, node, [String.raw`\{ `, node.body, String.raw`\} `]),
  If: (reading, node) => checkLists(reading, node, partsOfIf(node)),
  While: (reading, node) => checkLists(reading, node, [`${node.kind} `, node.clause, "do ", node.body, "done "]),
  For: checkFor,
  Select: checkFor,
  ArithmeticFor: checkArithmeticFor,
  Case: checkCase,
  Function: checkFunction,
  Coproc: checkCoproc,
};

/** Checks what stands between the parts of one node, and everything below it. */
function checkNode(reading: Reading, node: SyntaxNode): void {
  if (reading.problem !== null || (node.type === "Word" && node.parts === undefined)) return;
  if (node.type === "Command") checkWords(reading, node);
  else if (node.type === "Statement") checkStatement(reading, node);
  else if (node.type === "Pipeline") checkPipeline(reading, node);
  else if (node.type === "CompoundList") checkStatements(reading, node.commands);
  else if (node.type === "CommandExpansion" || node.type === "ProcessSubstitution" || node.type === "ArithmeticCommandExpansion")
    checkSubstitution(reading, node);
  else {
    const check = CHECKS[node.type] as ((reading: Reading, node: SyntaxNode) => void) | undefined;
    check?.(reading, node);
    visitChildren(node, (child) => checkNode(reading, child));
  }
}

function checkStatement(reading: Reading, { command, end, background }: Statement): void {
  expect(reading, command.end, end, background === true ? BACKGROUND : NOTHING);
  checkNode(reading, command);
}

/** Most nodes are commands of words without parts. A name with a substitution is not decided anyway. */
function checkWords(reading: Reading, { prefix, name, suffix }: Command): void {
  let at = follow(reading, prefix, -1);
  if (name !== undefined) {
    if (at >= 0) expect(reading, at, name.pos, NOTHING);
    at = name.end;
  }
  follow(reading, suffix, at);
  for (const part of prefix) checkNode(reading, part);
  for (const part of suffix) if (part.type !== "Word" || part.parts !== undefined) checkNode(reading, part);
}

/** Expects nothing between the parts, the first of which follows what ends at a place (-1: nothing). Gives where the last one ends. */
function follow(reading: Reading, parts: readonly Place[], from: number): number {
  let at = from;
  for (const part of parts) {
    if (at >= 0) expect(reading, at, part.pos, NOTHING);
    at = part.end;
  }
  return at;
}

const TIME = /^time(?:(?:[ \t]|\\\n)+-p)?(?:(?:[ \t]|\\\n)+--)?$/;

function checkPipeline(reading: Reading, { prefixes, commands, operators }: Pipeline): void {
  if (prefixes.length > 0) inOrder(reading, [...prefixes, ...commands.slice(0, 1)], () => NOTHING);
  inOrder(reading, commands, (index) => (operators[index] === "|" ? PIPE : PIPE_BOTH));
  for (const prefix of prefixes) if (prefix.type === "Time" && !TIME.test(reading.text.slice(prefix.pos, prefix.end))) reading.problem ??= prefix.pos;
  for (const command of commands) checkNode(reading, command);
}

type RedirectionNode = SyntaxNode & { readonly type: "Redirect" | "HereString" | "HereDoc" };

/** Between an operator and its word stand blanks alone; nothing stands before the operator but the descriptor. */
function checkRedirection(reading: Reading, node: RedirectionNode): void {
  const target = node.type === "HereDoc" ? node.delimiter : node.target;
  const start = node.descriptor?.end ?? node.pos;
  if (target === undefined || !reading.text.startsWith(node.operator, start)) reading.problem ??= node.pos;
  else expect(reading, start + node.operator.length, target.pos, NOTHING);
}

type Substitution = SyntaxNode & { readonly type: "CommandExpansion" | "ProcessSubstitution" | "ArithmeticCommandExpansion" };

/** A script that was decoded from backticks is read as a text of its own. */
function checkSubstitution(reading: Reading, node: Substitution): void {
  if (node.script === undefined || node.script.source !== undefined) return;
  const from = node.pos + (reading.text.charAt(node.pos) === "`" ? 1 : 2);
  checkScript(reading, node.script, { from, to: node.end - 1 });
}
