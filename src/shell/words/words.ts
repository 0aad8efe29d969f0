import { expandBraces, mayHoldBraces } from "./braces.ts";
import { markQuoted } from "../text/coverage.ts";
import { addDynamic, addGlob, addLiteral, addOpenGlob, createDraft, finish, noteBrackets } from "./builder.ts";
import type { Draft, Place } from "./builder.ts";
import { dynamicWord, openWord } from "../model/words.ts";
import { isInFunction, addUndecidable, spanAt, spanOf, spendNode, spendNodes } from "../state/scope.ts";
import type { Span, Word } from "../model/model.ts";
import { isNegatedOtherwise } from "../text/dialect.ts";
import { checkQuotes, visitSubstitutions } from "./expansions.ts";
import { withoutEscapes } from "../text/characters.ts";
import { addExpansion } from "./add-expansion.ts";
import type { DoubleQuotedPart, LocaleStringPart, WordNode, WordPart } from "../text/parse.ts";
import { parseScript } from "../text/parse.ts";
import { bracketed, checkParentheses, holdsParenthesis } from "./parentheses.ts";
import type { State } from "../state/state.ts";
import { expandTilde, expandTildes, expandValue } from "./tildes.ts";
import { textFrom, isBraces, isCovered, keepsWhole, mayPairQuotesOtherwise, plainTextOf } from "./parts.ts";
import type { Scope } from "../state/walk.ts";

/** Appends what a word becomes: none, one or several words. Reads every substitution in it. */
export function appendWord(scope: Scope, node: WordNode, at: { readonly state: State; readonly place: Place }, words: Word[]): void {
  if (!spendNode(scope, node)) return;
  const parts = node.parts;
  const span = spanAt(scope, node.pos, node.end);
  if (parts === undefined) {
    words.push(plainWord(scope, node, at, span));
    return;
  }
  // Among braces the parser takes `$$'…'` and `\$'…'` for a dollar and the beginning of `$'…'`, whose end is another one; in quotes bash wants a brace to close `$${`.
  const hasBraces = node.text.includes("{");
  const isMisread = hasBraces && (/[$\\]\$['"]/.test(textFrom("{", node.text)) || /(?<!\$)(?:\$\$)+\{/.test(textFrom('"', node.text)));
  if (isMisread || !isCovered(node, parts)) addUndecidable(scope, "unsupported-syntax", span);
  if (at.place !== "value" && at.place !== "text" && mayPairQuotesOtherwise(node)) addUndecidable(scope, "unsupported-syntax", span);
  if (parts.some(isBraces) && splits(at)) {
    appendBraces(scope, node, at, words);
    return;
  }
  if (splits(at) && ((hasBraces && mayHoldBraces(plainTextOf(parts))) || keepsWhole(parts))) {
    // A list that only bash sees: `$x{}a,b}` is two words.
    checkParentheses(scope, node);
    for (const part of parts) visitSubstitutions(scope, part, at.state);
    words.push(dynamicWord("brace-expansion", "", span));
    return;
  }
  const quoted = parts.length === 1 ? textOfQuotes(scope, parts[0]) : null;
  if (quoted !== null) {
    words.push({ kind: "literal", value: quoted, quoted: true, span });
    return;
  }
  const { length } = words;
  const draft = createDraft(words, span, at.place === "argument" || at.place === "operand");
  for (let index = 0; index < parts.length; index += 1)
    addPart(scope, draft, { part: parts[index] as WordPart, isFirst: index === 0, isLast: index === parts.length - 1 }, at);
  if (draft.exists) words.push(finish(draft));
  // Each word of a value or a list costs as much as one that is written out.
  spendNodes(scope, words.length - length - 1);
}

/** A parameter of a function is another one at each call: what is assigned from it is not followed. */
const FROM_PARAMETER = /\$\{?[\d@*]/;

/** What a word becomes where it stays one word. */
export function singleWord(scope: Scope, node: WordNode, at: { readonly state: State; readonly place: Place }): Word {
  const words: Word[] = [];
  appendWord(scope, node, at, words);
  const span = spanOf(scope, node);
  if (words.length === 0) return { kind: "literal", value: "", quoted: false, span };
  if (at.place === "value" && FROM_PARAMETER.test(node.text) && isInFunction(scope)) return openWord("parameter", "", span);
  return words.length === 1 && words[0] !== undefined ? words[0] : dynamicWord("brace-expansion", "", span);
}

function splits(at: Standing): boolean {
  return at.place !== "value" && at.place !== "text";
}

type Standing = { readonly state: State; readonly place: Place };

/** Nothing in it means anything to a shell, wherever it stands: nearly every word. */
const PLAIN = /^[\w./:@%+,=-]*$/;

/** A word without parts: plain text, escapes, perhaps a tilde. */
function plainWord(scope: Scope, node: WordNode, at: Standing, span: Span): Word {
  const { text, value } = node;
  if (text === value && PLAIN.test(text)) return { kind: "literal", value, quoted: false, span };
  const quoted = text !== value;
  checkPlain(scope, text, { span, place: at.place });
  if (splits(at) && mayHoldBraces(withoutEscapes(text))) {
    return dynamicWord("brace-expansion", "", span);
  }
  if (!text.includes("~") || (quoted && !/(?:^|[=:])~/.test(text))) return { kind: "literal", value, quoted, span };
  // Behind the `=` of an argument bash expands a tilde, and other shells do not.
  const isUncertain = quoted || (at.place === "text" && /[=:]~/.test(text)) || (scope.dialect === "sh" && splits(at) && !text.startsWith("~"));
  if (isUncertain) return openWord("tilde", "", span);
  const expanded =
    at.place === "value" ? expandValue(scope, text, at.state) : text.startsWith("~") ? expandTilde(scope, text, at.state) : expandTildes(scope, text, at.state);
  return expanded === null ? openWord("tilde", "", span) : { kind: "literal", value: expanded, quoted, span };
}

/** A backslash in `$'…'` of which bash and the parser do not make the same: `\\x{`, `\\c`, one before the end of a line or before what needs none. */
const OTHER_ESCAPE = /(?<!\\)(?:\\\\)*\\(?![abeEfnrtv\\'"?]|[0-7]|x[\dA-Fa-f]|[uU][\dA-Fa-f])/;

type PartAt = { readonly part: WordPart; readonly isFirst: boolean; readonly isLast: boolean };

function addPart(scope: Scope, draft: Draft, where: PartAt, at: Standing): void {
  const { part } = where;
  const splits = at.place !== "value" && at.place !== "text";
  switch (part.type) {
    case "Literal":
      addPlain(scope, draft, where, at);
      return;
    case "SingleQuoted":
      markQuoted(scope, part);
      addLiteral(draft, part.value, true);
      return;
    case "AnsiCQuoted":
      markQuoted(scope, part);
      // Bytes that are no characters have no value here.
      if (OTHER_ESCAPE.test(part.text) || (/[^\u0001-\u007f]/.test(part.value) && part.text.includes("\\"))) addDynamic(draft, "parameter", false);
      else addLiteral(draft, part.value, true);
      return;
    case "DoubleQuoted":
      addQuoted(scope, draft, part, { ...at, isWhole: where.isFirst && where.isLast });
      return;
    case "LocaleString":
      // Its value is looked up in a catalogue of translations.
      addQuoted(scope, draft, part, { ...at, isWhole: false });
      addDynamic(draft, "parameter", part.text.includes("@"));
      return;
    case "Glob":
      visitGlob(scope, draft, part, at);
      return;
    case "ExtendedGlob":
      if (at.place !== "text") addUndecidable(scope, "unsupported-syntax", spanOf(scope, part));
      visitSubstitutions(scope, part, at.state);
      addDynamic(draft, "parameter", splits);
      return;
    case "BraceExpansion":
      visitSubstitutions(scope, part, at.state);
      // Where the braces stay, a backslash goes all the same.
      if (splits || part.parts !== undefined || part.text.includes("\\")) addDynamic(draft, "brace-expansion", splits);
      else addLiteral(draft, part.text, false);
      return;
    case "SimpleExpansion":
    case "ParameterExpansion":
    case "ArithmeticExpansion":
    case "CommandExpansion":
    case "ProcessSubstitution":
      addExpansion(scope, draft, part, { ...at, splits, isAlone: true, isWhole: where.isFirst && where.isLast });
  }
}

/**
 * Behind digits or `{x}` the parser does not see a process substitution: `ls 1>(id)` runs id. And what ends a word to bash does not always end it to
 * the parser: `< x=(a b)`.
 */
function checkPlain(scope: Scope, text: string, at: { readonly span: Span; readonly place: Place }): void {
  if (text.includes("<(") || text.includes(">(")) addUndecidable(scope, "uncovered-substitution", at.span);
  else if (at.place !== "text" && /[ \t\n;&|<>()]/.test(withoutEscapes(text))) addUndecidable(scope, "unsupported-syntax", at.span);
}

function addPlain(scope: Scope, draft: Draft, where: PartAt, at: Standing): void {
  const part = where.part as WordPart & { type: "Literal" };
  checkPlain(scope, part.text, { span: draft.span, place: at.place });
  if (splits(at)) noteBrackets(draft, withoutEscapes(part.text));
  const isQuoted = part.text !== part.value;
  if (!part.text.includes("~") || (!where.isFirst && !/[=:]~/.test(part.text))) {
    addLiteral(draft, part.value, isQuoted);
    return;
  }
  // `~"x"` is no tilde prefix, and `~$x` names a user: only a prefix that ends in this part is expanded.
  const isWhole = part.text.startsWith("~") && where.isFirst && !isQuoted && (part.text.includes("/") || where.isLast);
  const expanded = isWhole && !/[=:]~/.test(part.text) ? expandTilde(scope, part.text, at.state) : null;
  if (expanded !== null) addLiteral(draft, expanded, false);
  else if (part.text.startsWith("~") || /[=:]~/.test(part.text)) addDynamic(draft, "tilde", false);
  else addLiteral(draft, part.value, isQuoted);
}

function visitGlob(scope: Scope, draft: Draft, part: WordPart & { type: "Glob" }, at: Standing): void {
  const inner = bracketed(part);
  // `[ab+(c)]`: bash ends the word at the parenthesis, and refuses it.
  if (at.place !== "text" && inner.some(holdsParenthesis)) addUndecidable(scope, "unsupported-syntax", spanOf(scope, part));
  if (inner.every((child) => child.type === "Literal" && child.text === child.value)) {
    if (!splits(at)) addLiteral(draft, part.text, false);
    else if (isNegatedOtherwise(scope, part.text)) addOpenGlob(draft);
    else addGlob(draft, part.text);
    return;
  }
  for (const child of inner) visitSubstitutions(scope, child, at.state);
  addDynamic(draft, "parameter", at.place !== "value" && at.place !== "text");
}

/** The text of quotes in which nothing is expanded; null for anything else. */
function textOfQuotes(scope: Scope, part: WordPart | undefined): string | null {
  if (part?.type === "SingleQuoted") {
    markQuoted(scope, part);
    return part.value;
  }
  const only = part?.type === "DoubleQuoted" && part.parts.length === 1 ? part.parts[0] : undefined;
  return only?.type === "Literal" ? only.value : null;
}

/** `"…"`: its expansions stay one word each, but for lists. */
function addQuoted(scope: Scope, draft: Draft, quoted: DoubleQuotedPart | LocaleStringPart, at: Standing & { readonly isWhole: boolean }): void {
  draft.isQuoted = true;
  const isWhole = at.isWhole && quoted.parts.length === 1;
  const isAlone = quoted.parts.length === 1 || quoted.parts.some((part) => part.type === "Literal" && part.value !== "");
  if (quoted.parts.length === 0) addLiteral(draft, "", true);
  for (const part of quoted.parts) {
    checkQuotes(scope, part);
    if (part.type === "Literal") addLiteral(draft, part.value, true);
    else addExpansion(scope, draft, part, { ...at, splits: false, isAlone, isWhole });
  }
}

/** Brace expansion works on the text, before everything else: each text is parsed as a word of its own. */
function appendBraces(scope: Scope, node: WordNode, at: Standing, words: Word[]): void {
  checkParentheses(scope, node);
  const span = spanOf(scope, node);
  const expanded = expandBraces(node.text);
  // To dash `{a,b}` is a word, whatever of it is quoted (`{"}",b}`).
  // What becomes `x=~` only by its braces is no assignment to bash, which leaves its tilde alone.
  const isUncertain = scope.dialect !== "bash" || expanded?.some((text) => /[=:]~/.test(text)) === true;
  const texts = isUncertain ? null : expanded;
  const nodes = texts?.map(parseWord) ?? [null];
  if (nodes.includes(null)) {
    for (const part of node.parts ?? []) visitSubstitutions(scope, part, at.state);
    words.push(dynamicWord("brace-expansion", "", span));
    return;
  }
  const inner: Scope = { ...scope, source: { ...scope.source, outer: span, visited: null } };
  for (const part of nodes) if (part !== null && part !== "") appendWord(inner, part, at, words);
}

/** A raw word's node; empty for a text that is no word; null when it does not stand alone as one. */
function parseWord(text: string): WordNode | "" | null {
  if (text === "") return "";
  const script = parseScript(`: ${text}`);
  const command = script.commands[0]?.command;
  if (script.errors !== undefined || script.commands.length !== 1 || command?.type !== "Command" || command.suffix.length !== 1) return null;
  const word = command.suffix[0];
  return word?.type === "Word" && word.text === text ? word : null;
}

/** The text of a here-document, from its parts. */
export function textOfParts(scope: Scope, parts: readonly WordPart[], at: { readonly state: State; readonly span: Span }): Word {
  const draft = createDraft([], at.span, false);
  for (const part of parts) checkQuotes(scope, part);
  parts.forEach((part, index) => addPart(scope, draft, { part, isFirst: false, isLast: index === parts.length - 1 }, { state: at.state, place: "text" }));
  return finish(draft);
}
