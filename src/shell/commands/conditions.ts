import { readArithmetic, readCalculatedText } from "../words/arithmetic.ts";
import type { Span, Word } from "../model/model.ts";
import type { TestExpression, WordNode } from "../text/parse.ts";
import type { State } from "../state/state.ts";
import { isName } from "../state/variables.ts";
import type { Scope } from "../state/walk.ts";
import { addUndecidable, spanOf, spendNode } from "../state/scope.ts";
import { checkExtendedGlob } from "../words/parentheses.ts";
import { singleWord } from "../words/words.ts";

const NUMERIC = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);

/** Reads `[[ … ]]`: its operators are syntax, so only what is evaluated again matters. */
export function visitCondition(scope: Scope, test: TestExpression, state: State): void {
  if (!spendNode(scope, test)) return;
  switch (test.type) {
    case "TestLogical":
      for (const operand of test.operands) visitCondition(scope, operand, state);
      return;
    case "TestNot":
      visitCondition(scope, test.operand, state);
      return;
    case "TestGroup":
      visitCondition(scope, test.expression, state);
      return;
    case "TestUnary": {
      checkOperand(scope, test.operand);
      const word = singleWord(scope, test.operand, { state, place: "text" });
      if ((test.operator === "-v" || test.operator === "-R") && !isVariable(word)) addUndecidable(scope, "subscript", spanOf(scope, test));
      return;
    }
    case "TestBinary":
      checkOperand(scope, test.left);
      checkOperand(scope, test.right, test.operator);
      visitOperand(scope, test.left, { state, isNumeric: NUMERIC.has(test.operator) });
      visitOperand(scope, test.right, { state, isNumeric: NUMERIC.has(test.operator) });
  }
}

/** Only the right side of a comparison of texts may be an extended pattern, and the parser takes operators, `]]` and a comment for operands. */
function checkOperand(scope: Scope, operand: WordNode, operator = ""): void {
  if (!/^(?:==?|!=|=~)$/.test(operator)) checkExtendedGlob(scope, operand);
  const isOperator = operator === "=~" ? /^(?:[&;<>#]|\]\]$)/ : /^(?:[|&;<>()]|\]\]$)/;
  // Escaped, the sign of a pattern is none, and bash refuses the parenthesis behind it.
  const isRefused = operator !== "=~" && /\\[?*+@!]\(/.test(operand.text);
  // In a regular expression the parser takes `$$'…'` and `\$'…'` for a dollar and the beginning of `$'…'`, whose end is another one.
  if (operator === "=~" && /[$\\]\$['"]/.test(operand.text)) addUndecidable(scope, "unsupported-syntax", spanOf(scope, operand));
  if (isRefused || isOperator.test(operand.text)) addUndecidable(scope, "parse-error", spanOf(scope, operand));
}

function visitOperand(scope: Scope, node: WordNode, at: { readonly state: State; readonly isNumeric: boolean }): void {
  if (!at.isNumeric) {
    // The right side may be a regular expression, whose parentheses mean no pattern.
    singleWord(scope, node, { state: at.state, place: "text" });
    return;
  }
  const word = singleWord(scope, node, { state: at.state, place: "text" });
  const span = spanOf(scope, node);
  if (isNumber(word)) return;
  if (word.kind === "literal") readCalculatedText(scope, word.value, span, at.state);
  else readArithmetic(scope, unquote(node.text), span, at.state);
}

/** Digits, or nothing: neither an operator nor a text that is evaluated. */
function isNumber(word: Word): boolean {
  return word.kind === "dynamic" && word.prefix === "" && (word.reason === "arithmetic" || word.isNumeric === true);
}

function unquote(text: string): string {
  return /^"[^"]*"$/.test(text) ? text.slice(1, -1) : text;
}

function isVariable(word: Word): boolean {
  return word.kind === "literal" && isName(word.value);
}

const UNARY = /^-[b-hknprstuvwxzGLNOSR]$/;
const CONNECTIVE = /^-[ao]$/;
const BINARY = /^(?:=|==|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/;

/**
 * Reads the operands of `[` and `test`. Their operators are words: an operand that may become `-v a[$(id)]`
 * runs a substitution, so every operand must be certain to be no operator.
 */
export function checkTestWords(scope: Scope, words: readonly Word[], span: Span): void {
  for (const [index, word] of words.entries()) {
    const before = words[index - 1];
    if (isLiteral(before, /^-[vR]$/) && !isVariable(word)) addUndecidable(scope, "subscript", span);
    if (word.kind === "literal") continue;
    if (isNumber(word)) continue;
    const isOperand = words.length === 1 || isLiteral(before, BINARY) || isLiteral(words[index + 1], BINARY) || isLiteral(before, UNARY);
    const isNegated = words.length === 2 && isLiteral(before, /^!$/);
    // Behind a connective a term begins, which the word may be the operator of where something follows; of three words the second is what counts.
    const isTerm = isLiteral(before, CONNECTIVE) && index === words.length - 1;
    const isFirstTerm = words.length === 3 && isLiteral(words[1], CONNECTIVE);
    if (isSingle(word) && (isOperand || isNegated || isTerm || isFirstTerm)) continue;
    addUndecidable(scope, "subscript", span);
    return;
  }
}

function isLiteral(word: Word | undefined, pattern: RegExp): boolean {
  return word?.kind === "literal" && pattern.test(word.value);
}

function isSingle(word: Word): boolean {
  return word.kind !== "literal" && word.isSingle === true;
}
