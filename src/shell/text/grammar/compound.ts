import { END, MAY_END, expect, expectTokens, gapOf, inOrder, LINES, NOTHING } from "./between.ts";
import type { Place, Reading } from "./between.ts";
import type { ArithmeticFor, Case, CompoundList, Coproc, For, FunctionDefinition, If, Select, Statement, Subshell, SyntaxNode } from "../parse.ts";

// What stands between the keywords of a compound command and its lists.

const BETWEEN_PATTERNS = gapOf(String.raw`\| `, "|");

/** What stands between a statement and a keyword: behind `&` and behind a compound command it may be nothing. */
function endOfStatement(statement: Statement): string {
  if (statement.background === true) return LINES;
  return endsCompound(statement) ? MAY_END : END;
}

const ENDING_KEYWORD = new Set(["Subshell", "BraceGroup", "If", "While", "For", "Select", "Case", "ArithmeticFor", "TestCommand", "ArithmeticCommand"]);

/** Whether the last thing of a statement is a `)`, `))`, `}`, `]]`, `fi`, `done` or `esac`, behind which bash knows keywords. */
function endsCompound({ command }: Statement): boolean {
  let node: SyntaxNode | undefined = command;
  while (node !== undefined) {
    if (ENDING_KEYWORD.has(node.type)) return true;
    if (node.type === "AndOr" || node.type === "Pipeline") node = node.commands.at(-1);
    else if (node.type === "Function" || node.type === "Coproc") node = node.body;
    else return false;
  }
  return false;
}

/** Lists with what stands before, between and behind them. Bash takes no empty list. */
export function checkLists(reading: Reading, node: Place, parts: readonly (string | CompoundList)[]): void {
  let at = node.pos;
  let pattern = "";
  for (const part of parts) {
    if (typeof part === "string") {
      pattern += part;
      continue;
    }
    const [first, last] = [part.commands[0], part.commands.at(-1)];
    if (first === undefined || last === undefined) {
      reading.problem ??= node.pos;
      return;
    }
    expectTokens(reading, at, first.pos, pattern + LINES);
    at = last.end;
    pattern = endOfStatement(last);
    // `{ ls; }fi`: a keyword goes on where another follows without a blank.
    if (/^[\w}]{2}/.test(reading.text.slice(at - 1, at + 1))) reading.problem ??= at;
  }
  expectTokens(reading, at, node.end, pattern);
}

export function partsOfIf(node: If): (string | CompoundList)[] {
  const parts: (string | CompoundList)[] = ["if ", node.clause, "then ", node.then];
  for (const branch of node.elif) parts.push("elif ", branch.clause, "then ", branch.then);
  if (node.else !== undefined) parts.push("else ", node.else);
  return [...parts, "fi "];
}

function hasBraces(reading: Reading, node: Place): boolean {
  return reading.text.charAt(node.end - 1) === "}";
}

function bodyOf(reading: Reading, node: Place & { readonly body: CompoundList }): (string | CompoundList)[] {
  return hasBraces(reading, node) ? [String.raw`\{ `, node.body, String.raw`\} `] : ["do ", node.body, "done "];
}

export function checkFor(reading: Reading, node: For | Select): void {
  const { name, wordlist } = node;
  expectTokens(reading, node.pos, name.pos, node.type === "For" ? "for " : "select ");
  const last = wordlist?.at(-1);
  // Right behind the name bash knows `do` and `in`, and a brace on the next line alone or behind a `;`.
  const bare = hasBraces(reading, node) ? END : `(?:; )?${LINES}`;
  const head = wordlist === undefined ? bare : last === undefined ? `${LINES}in ${END}` : END;
  if (wordlist?.[0] !== undefined) expectTokens(reading, name.end, wordlist[0].pos, `${LINES}in `);
  inOrder(reading, wordlist ?? [], () => NOTHING);
  checkLists(reading, { pos: last?.end ?? name.end, end: node.end }, [head, ...bodyOf(reading, node)]);
}

export function checkCase(reading: Reading, node: Case): void {
  expectTokens(reading, node.pos, node.word.pos, "case ");
  let at = node.word.end;
  let pattern = `${LINES}in ${LINES}`;
  for (const item of node.items) {
    expectTokens(reading, at, item.pos, pattern);
    const [first, last] = [item.pattern[0], item.pattern.at(-1)];
    if (first === undefined || last === undefined) {
      reading.problem ??= item.pos;
      return;
    }
    expectTokens(reading, item.pos, first.pos, String.raw`(?:\( )?`);
    inOrder(reading, item.pattern, () => BETWEEN_PATTERNS);
    const [start, final] = [item.body.commands[0], item.body.commands.at(-1)];
    expectTokens(
      reading,
      last.end,
      start?.pos ?? item.end,
      String.raw`\) ${LINES}${start === undefined && item.terminator !== undefined ? `${item.terminator} ` : ""}`,
    );
    at = item.end;
    pattern = LINES;
    if (final === undefined) continue;
    if (item.terminator === undefined) [at, pattern] = [final.end, endOfStatement(final)];
    else expectTokens(reading, final.end, item.end, `${final.background === true ? LINES : MAY_END}${item.terminator} `);
  }
  expectTokens(reading, at, node.end, `${pattern}esac `);
}

export function checkFunction(reading: Reading, { pos, name, body }: FunctionDefinition): void {
  expectTokens(reading, pos, name.pos, "(?:function )?");
  expectTokens(reading, name.end, body.pos, name.pos > pos ? String.raw`(?:\( \) )?${LINES}` : String.raw`\( \) ${LINES}`);
}

/** A parenthesis ends its list without a `;`. */
export function checkSubshell(reading: Reading, { pos, end, body }: Subshell): void {
  expectTokens(reading, pos, body.commands[0]?.pos ?? end, String.raw`\( ${LINES}`);
  const last = body.commands.at(-1);
  if (last === undefined) reading.problem ??= pos;
  else expectTokens(reading, last.end, end, String.raw`${last.background === true ? LINES : MAY_END}\) `);
}

/** The parser takes one parenthesis for two. */
const ARITHMETIC_HEAD = /^for(?:[ \t]|\\\n)*\(\(/;

export function checkArithmeticFor(reading: Reading, node: ArithmeticFor): void {
  const head = reading.text.slice(node.pos, node.body.pos).lastIndexOf("))");
  if (!ARITHMETIC_HEAD.test(reading.text.slice(node.pos, node.pos + head))) reading.problem ??= node.pos;
  checkLists(reading, { pos: node.pos + head + 2, end: node.end }, [MAY_END, ...bodyOf(reading, node)]);
}

export function checkCoproc(reading: Reading, node: Coproc): void {
  expectTokens(reading, node.pos, (node.name ?? node.body).pos, "coproc ");
  if (node.name !== undefined) expect(reading, node.name.end, node.body.pos, NOTHING);
}
