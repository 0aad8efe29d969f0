import { expectTokens, LINES } from "./between.ts";
import type { Reading } from "./between.ts";
import type { SyntaxNode, TestExpression } from "../parse.ts";

/** What stands between the parts of `[[ … ]]`. Bash takes line feeds behind its own operators, and behind a whole test. */
export function checkTest(reading: Reading, node: SyntaxNode & { readonly type: "TestCommand" }): void {
  expectTokens(reading, node.pos, node.expression.pos, String.raw`\[\[ ${LINES}`);
  checkExpression(reading, node.expression);
  expectTokens(reading, node.expression.end, node.end, String.raw`${LINES}\]\] `);
}

function checkExpression(reading: Reading, test: TestExpression): void {
  switch (test.type) {
    case "TestLogical":
      checkOperands(reading, test);
      return;
    case "TestNot": {
      const last = test.negations.at(-1);
      for (const [index, negation] of test.negations.entries()) expectTokens(reading, negation.end, test.negations[index + 1]?.pos ?? test.operand.pos, LINES);
      if (last === undefined) reading.problem ??= test.pos;
      checkExpression(reading, test.operand);
      return;
    }
    case "TestGroup":
      expectTokens(reading, test.pos, test.expression.pos, String.raw`\( ${LINES}`);
      checkExpression(reading, test.expression);
      expectTokens(reading, test.expression.end, test.end, String.raw`${LINES}\) `);
      return;
    case "TestUnary":
      if (test.operand.pos !== test.pos) checkOperator(reading, { pos: test.pos, end: test.operand.pos }, test.operator);
      return;
    case "TestBinary":
      checkOperator(reading, { pos: test.left.end, end: test.right.pos }, test.operator);
  }
}

function checkOperands(reading: Reading, test: TestExpression & { readonly type: "TestLogical" }): void {
  let at = -1;
  for (const operand of test.operands) {
    if (at >= 0) expectTokens(reading, at, operand.pos, `${LINES}${test.operator === "&&" ? "&&" : String.raw`\|\|`} ${LINES}`);
    checkExpression(reading, operand);
    at = operand.end;
  }
}

/** An operator of letters is a word of its own; `<` and `>` need no blanks. */
function checkOperator(reading: Reading, between: { readonly pos: number; readonly end: number }, operator: string): void {
  const text = reading.text.slice(between.pos, between.end).replace(/\\\n/g, " ");
  const isWord = !/^[<>]$/.test(operator);
  const isFirst = text.startsWith(operator);
  if (text.trim() !== operator || text.includes("\n") || (isWord && !(isFirst || /^[ \t]/.test(text))) || (isWord && !/[ \t]$/.test(text)))
    reading.problem ??= between.pos;
}
