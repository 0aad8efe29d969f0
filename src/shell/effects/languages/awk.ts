import type { Word } from "../../model/model.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect, addPath } from "../reading/collector.ts";
import { literalAt, showWord } from "../../model/words.ts";

type Token = { readonly kind: "string" | "regex" | "name" | "number" | "sign" | "newline"; readonly text: string };

const KEYWORDS = new Set(["return", "print", "printf", "in", "if", "while", "do", "else", "case", "delete", "exit"]);
/** Behind these some awks divide, and to others a regular expression begins. */
const UNCLEAR = new Set([")", "++", "--", "$", "getline", "length"]);
const LEXEMES =
  /[ \t\r]+|\\\r?\n|#[^\n]*|(\n)|("(?:\\[\s\S]|[^"\\\n])*")|([A-Za-z_]\w*)|((?:0[xX][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.]))|(\/)|(\|\||&&|\|&|>>|[<>=!]=|\+\+|--|[^\s\d])/y;

/** Behind these a line goes on in the next one. */
const GOES_ON = new Set([",", "&&", "||", "?", ":"]);
/** What ends a statement, and with it the name of a file behind `>`; behind a file that is read, a comparison may follow too. */
const ENDS = new Set([";", "}"]);
const COMPARES = new Set([";", "}", ")", ">", "<", ">=", "<=", "==", "!=", "&&", "||"]);

/**
 * An awk program, read token by token: `system`, pipes and `@` run programs, `print > f` writes,
 * `getline < f` reads. Comparisons stay comparisons. What does not lex is `unknown`.
 */
export function readAwkProgram(to: Collector, word: Word): void {
  if (word.kind !== "literal") return addEffect(to, "unknown", word.span, `${showWord(word)} is an awk program that is not known beforehand`);
  const tokens = tokenise(word.value);
  if (tokens === null) return addEffect(to, "unknown", word.span, `the awk program ${showWord(word)} could not be read`);
  let depth = 0;
  let isPrinting = false;
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind === "name") {
      if (text === "print" || text === "printf") [isPrinting, depth] = [true, 0];
      readName(to, word, text);
    }
    if (endsStatement(tokens, index) || text === "{") isPrinting = false;
    if (kind !== "sign") continue;
    if (text === "(") depth += 1;
    if (text === ")") depth -= 1;
    if (text === "|" || text === "|&" || text === "@") addEffect(to, "runs-code", word.span, `\`${text}\` in ${showWord(word)} starts a program or loads code`);
    if (text === ">>" || (text === ">" && isPrinting && depth <= 0))
      readTarget(to, word, "writes", { target: tokens[index + 1], isWhole: endsStatement(tokens, index + 2) });
    if (text === "<" && followsGetline(tokens, index)) readTarget(to, word, "reads", { target: tokens[index + 1], isWhole: isBehindName(tokens, index + 2) });
  }
}

function readName(to: Collector, word: Word, name: string): void {
  if (name === "system" || name === "extension") addEffect(to, "runs-code", word.span, `\`${name}\` in ${showWord(word)} runs a program`);
  if (name === "ENVIRON") addEffect(to, "secrets", word.span, `\`ENVIRON\` in ${showWord(word)} reads the environment`);
  if (name === "ARGV" || name === "ARGC" || name === "SYMTAB") addEffect(to, "unknown", word.span, `\`${name}\` in ${showWord(word)} may change what is read`);
}

function endsStatement(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  return token === undefined || token.kind === "newline" || (token.kind === "sign" && ENDS.has(token.text));
}

function isBehindName(tokens: readonly Token[], index: number): boolean {
  return endsStatement(tokens, index) || (tokens[index]?.kind === "sign" && COMPARES.has(tokens[index]?.text ?? ""));
}

type Target = { readonly target: Token | undefined; /** No other text is joined to it. */ readonly isWhole: boolean };

/** A file name that is one string is known; an expression is not. To some awks a dash is a file of that name. */
function readTarget(to: Collector, word: Word, kind: "reads" | "writes", { target, isWhole }: Target): void {
  if (target?.kind !== "string" || !isWhole || target.text.includes("\\"))
    return addEffect(to, "unknown", word.span, `${showWord(word)} ${kind} a file whose name it works out`);
  const name = target.text.slice(1, -1);
  if (name.startsWith("/inet")) addEffect(to, "sends", word.span, `${showWord(word)} opens the connection ${name}`);
  else if (name !== "-" || kind === "writes") addPath(to, kind, literalAt(word, name));
}

/** `getline < f`, `getline line < f`, `getline a[1] < f`. */
function followsGetline(tokens: readonly Token[], index: number): boolean {
  for (let at = index - 1; at >= 0; at -= 1) {
    const token = tokens[at];
    if (token === undefined || token.kind === "newline" || token.text === ";" || token.text === "{" || token.text === "}") return false;
    if (token.text === "getline") return true;
  }
  return false;
}

/** Null: the text cannot be split into tokens for certain. */
function tokenise(text: string): Token[] | null {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    LEXEMES.lastIndex = at;
    const match = LEXEMES.exec(text);
    if (match === null) return null;
    const [, newline, string, name, number, slash, sign] = match;
    if (slash !== undefined) {
      const end = readSlash(text, at, tokens);
      if (end === null) return null;
      at = end;
      continue;
    }
    at += match[0].length;
    // A lone quote is a string that does not end.
    if (sign === '"' || sign === "\\") return null;
    // Where a line goes on, it does so behind any number of empty lines and comments.
    if (newline !== undefined && GOES_ON.has(tokens.at(-1)?.text ?? "")) continue;
    if (newline !== undefined) tokens.push({ kind: "newline", text: newline });
    else if (string !== undefined) tokens.push({ kind: "string", text: string });
    else if (name !== undefined) tokens.push({ kind: "name", text: name });
    else if (number !== undefined) tokens.push({ kind: "number", text: number });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign });
  }
  return tokens;
}

/**
 * A division or a regular expression, by what stands before it. Behind `)`, `++`, `length`, `getline` and a regular expression both are possible: then it
 * is a division when no other `/` follows, and otherwise the program is refused.
 */
function readSlash(text: string, at: number, tokens: Token[]): number | null {
  const before = tokens.at(-1);
  const isUnclear = before?.kind === "regex" || ((before?.kind === "sign" || before?.kind === "name") && UNCLEAR.has(before.text));
  const isOperand =
    before !== undefined &&
    (before.kind === "number" || before.kind === "string" || before.text === "]" || (before.kind === "name" && !KEYWORDS.has(before.text)));
  if (isUnclear && text.includes("/", at + 1)) return null;
  if (isUnclear || isOperand) {
    tokens.push({ kind: "sign", text: "/" });
    return at + 1;
  }
  // A bracket expression may hold an unescaped slash in some awks and end there in others. A `]` that stands first in it does not end it.
  const regex = /\/(?:\\.|\[(?:\^\]|\^(?!\])|\]|(?![\^\]]))(?:\[:\w+:\]|\[(?![:.=])|\\.|[^\]\\/\n[])*\]|[^/\\[\n])*\//y;
  regex.lastIndex = at;
  const match = regex.exec(text);
  if (match === null) return null;
  tokens.push({ kind: "regex", text: match[0] });
  return at + match[0].length;
}
