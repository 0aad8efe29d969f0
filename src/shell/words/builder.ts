import { globBelow } from "../model/words.ts";
import { dynamicWord, patternWord, escapeGlob } from "../model/words.ts";
import type { DynamicReason, Span, Word } from "../model/model.ts";

/**
 * Where a word stands: `argument`, `operand` (an argument of a command, where lists of names are known as such) and `target` (of a redirection) are split
 * and expanded as patterns and braces; `value` (of an assignment) and `text` (here-strings, `case`, `[[ ]]`) stay one word.
 */
export type Place = "argument" | "operand" | "target" | "value" | "text";

/** A word while its parts are put together. One text may become several words, or none. */
export type Draft = {
  readonly words: Word[];
  readonly span: Span;
  /** Patterns mean files here. */
  readonly allowsPattern: boolean;
  /** The literal text so far, up to the first part that is no literal. */
  value: string;
  /** The same as a glob, with every literal special character escaped. */
  glob: string;
  isPattern: boolean;
  /** A pattern of its own, besides the name that a loop put into a variable. */
  isListing: boolean;
  isQuoted: boolean;
  /** Some part left a trace, so that the word exists even when it is empty. */
  exists: boolean;
  reason: DynamicReason | null;
  /** The value may vanish or become several words. */
  splits: boolean;
  pieces: number;
  /** Every part that is not known is a number, or nothing. */
  isNumeric: boolean;
  /** It may be several numbers. */
  isSeveral: boolean;
  /** How many of its parts name commits. */
  commits: number;
  /** How many of its parts are not known. */
  opens: number;
  /** The pattern stands for the name of one file, which a loop put into a variable. */
  isFileName: boolean;
  /** Where another command found the file that a loop put into a variable: the word is its name, unless more stands beside it. */
  start: string | null;
  /** The blanks of a value ended the word before. */
  isEnded: boolean;
  /** What stands in the file that the word names, as far as it is known. */
  content: string | null;
  /** The name of a pipe that a command fills. */
  isPipe: boolean;
  /** Some part holds a bracket that is not quoted, and that a later part may close. */
  isBracketOpen: boolean;
};

export function createDraft(words: Word[], span: Span, allowsPattern: boolean): Draft {
  return {
    words,
    span,
    allowsPattern,
    value: "",
    glob: "",
    isPattern: false,
    isListing: false,
    isQuoted: false,
    exists: false,
    reason: null,
    splits: false,
    pieces: 0,
    isNumeric: false,
    isSeveral: false,
    commits: 0,
    opens: 0,
    isFileName: false,
    start: null,
    isEnded: false,
    content: null,
    isPipe: false,
    isBracketOpen: false,
  };
}

export function addLiteral(draft: Draft, value: string, isQuoted: boolean): void {
  draft.exists = true;
  draft.pieces += 1;
  if (isQuoted) draft.isQuoted = true;
  draft.glob += escapeGlob(value);
  if (draft.reason === null && !draft.isPattern) draft.value += value;
}

export function addGlob(draft: Draft, glob: string): void {
  noteBrackets(draft, glob);
  addMatch(draft, glob);
  draft.isListing = true;
}

/** Adds what may be a pattern, of which nothing else is known. */
export function addOpenGlob(draft: Draft): void {
  addDynamic(draft, "parameter", true);
  draft.isListing = true;
}

/** Brackets of a pattern that open and close in one text. */
const CLOSED = /\[[!^]?(?:\[:\w+:\]|[^\][])+\]/g;

/** Notes the brackets of a part that is not quoted. Those of several parts are one pattern to bash: with `x='s]'`, `[$x*` is `[s]*`. */
export function noteBrackets(draft: Draft, text: string): void {
  if (!text.includes("[") && !text.includes("]")) return;
  if (draft.isBracketOpen && text.includes("]")) addOpenGlob(draft);
  if (text.replace(CLOSED, "").includes("[")) draft.isBracketOpen = true;
}

function addMatch(draft: Draft, glob: string): void {
  draft.exists = true;
  draft.pieces += 1;
  draft.isPattern = true;
  draft.glob += glob;
}

/** Adds the quoted variable of a loop over a pattern: the name of one file that the pattern matches. */
export function addFileName(draft: Draft, glob: string): void {
  if (draft.allowsPattern) {
    addMatch(draft, glob);
    draft.isFileName = true;
    return;
  }
  addLiteral(draft, prefixOf(glob), true);
  addDynamic(draft, "loop-variable", false);
}

/** The same for one that another command found below a start. */
export function addFoundName(draft: Draft, start: string): void {
  addDynamic(draft, "loop-variable", false);
  draft.start = start;
}

/** Adds what a value that is not known begins with for certain. */
export function addPrefix(draft: Draft, prefix: string, reason: DynamicReason): void {
  addLiteral(draft, prefix, true);
  addDynamic(draft, reason, false);
}

/** Adds the words of a list in double quotes: the first goes on the word so far, the last is gone on with. Where they may vanish or be several, nothing stands beside them. */
export function addWords(draft: Draft, words: readonly Word[]): void {
  for (const [index, word] of words.entries()) {
    if (index > 0) flush(draft);
    if (word.kind === "literal") addLiteral(draft, word.value, true);
    else if (word.kind === "pattern") addMatch(draft, word.glob);
    else if (word.isSingle === true && word.prefix !== "") addPrefix(draft, word.prefix, word.reason);
    else if (word.isNumeric === true) addNumber(draft, word.reason, word.isSingle !== true);
    else addDynamic(draft, word.reason, word.isSingle !== true);
  }
}

/** What every match of a glob begins with. */
function prefixOf(glob: string): string {
  return (/^(?:\\[^]|[^\\*?[])*/.exec(glob)?.[0] ?? "").replace(/\\([^])/g, "$1");
}

/** `splits`: the part is not quoted, so its value may be split, expanded as a pattern, or vanish. */
export function addDynamic(draft: Draft, reason: DynamicReason, splits: boolean): void {
  draft.pieces += 1;
  draft.exists = true;
  draft.opens += 1;
  draft.reason ??= reason;
  if (splits) draft.splits = true;
}

/** The same for what is digits, or nothing; `isSeveral`: it may be several such words. */
export function addNumber(draft: Draft, reason: DynamicReason, splits: boolean, isSeveral = false): void {
  addDynamic(draft, reason, splits);
  draft.isNumeric = true;
  draft.isSeveral = isSeveral;
}

/** The same for what is the name of a commit, or several, or nothing. */
export function addCommit(draft: Draft, splits: boolean): void {
  addDynamic(draft, "command-substitution", splits);
  draft.commits += 1;
}

const NAME = "[A-Za-z0-9_][\\w/~^-]*(?:\\.[\\w/~^-]+)*";
// `HEAD@{2026-01-01}` is a commit of that day.
const BEFORE_COMMIT = new RegExp(`^(?:\\^|(?:${NAME})?(?:\\.{2,3}(?:${NAME})?@\\{|\\.{2,3}|@\\{))?$`);
const BEHIND_COMMIT = new RegExp(`^\\}?(?:[~^][\\d~^]*)?(?:\\.{2,3}(?:${NAME})?)?$`);

/** Whether a word names commits, and ranges of them, also where a name of one is missing: no option, and no file that is told by what stands in the text. */
function isCommit({ commits, opens, value, glob, isPattern }: Draft): boolean {
  return commits > 0 && commits === opens && !isPattern && BEFORE_COMMIT.test(value) && glob.startsWith(value) && BEHIND_COMMIT.test(glob.slice(value.length));
}

/**
 * Adds the known value of an expansion that is not quoted, split at the `separators` (null: not known) and with its patterns
 * active, as bash does.
 */
export function addUnquotedValue(draft: Draft, value: string, separators: string | null): void {
  if (value.includes("\\") || separators === null || !/^[ -[\]-~\t\n]*$/.test(separators)) {
    addDynamic(draft, "parameter", true);
    return;
  }
  draft.pieces += 1;
  let field = "";
  for (const character of value) {
    if (!separators.includes(character)) {
      field += character;
      continue;
    }
    addField(draft, field);
    field = "";
    endField(draft, character);
  }
  addField(draft, field);
}

function addField(draft: Draft, field: string): void {
  if (field === "") return;
  draft.isEnded = false;
  if (/[*?[]/.test(field)) {
    addGlob(draft, field);
    return;
  }
  noteBrackets(draft, field);
  addLiteral(draft, field, false);
}

/** Any number of blanks end a field once; every other separator ends one, even an empty one. */
function endField(draft: Draft, separator: string): void {
  if (/\s/.test(separator)) {
    if (!draft.exists) return;
    flush(draft);
    draft.isEnded = true;
    return;
  }
  // Blanks before it belong to it.
  if (!draft.isEnded) draft.exists = true;
  flush(draft);
  draft.isEnded = false;
}

/** Ends the current word, so that what follows begins another. */
export function flush(draft: Draft): void {
  if (draft.exists) draft.words.push(finish(draft));
  draft.value = "";
  draft.glob = "";
  draft.isPattern = false;
  draft.isListing = false;
  draft.isQuoted = false;
  draft.exists = false;
  draft.reason = null;
  draft.splits = false;
  draft.pieces = 0;
  draft.isNumeric = false;
  draft.isSeveral = false;
  draft.commits = 0;
  draft.opens = 0;
  draft.isFileName = false;
  draft.start = null;
  draft.isEnded = false;
  draft.content = null;
  draft.isPipe = false;
  draft.isBracketOpen = false;
}

/** The word as it stands. A word that may become several is certain to begin with nothing. */
export function finish(draft: Draft): Word {
  if (draft.start !== null && draft.pieces === 1) return patternWord(globBelow(draft.start), draft.span, { root: draft.start, isSingle: true });
  if (draft.reason !== null) return finishOpen(draft, draft.reason);
  // More text around the name of a file makes a name that the pattern does not match.
  if (draft.isFileName && draft.pieces > 1) {
    return dynamicWord("loop-variable", prefixOf(draft.glob), draft.span, draft.isListing ? { isPattern: true } : { isSingle: true });
  }
  if (draft.isPattern) return patternWord(draft.glob, draft.span, draft.isFileName ? { isSingle: true } : {});
  return { kind: "literal", value: draft.value, quoted: draft.isQuoted, span: draft.span };
}

function finishOpen(draft: Draft, why: DynamicReason): Word {
  const { splits, pieces, span } = draft;
  // A number next to anything else is no number any more.
  const reason = why === "arithmetic" && pieces > 1 ? "parameter" : why;
  const prefix = splits ? "" : draft.value;
  if (isCommit(draft)) return dynamicWord(reason, prefix, span, { isCommit: true, isSingle: trueIf(!splits) });
  const isSingle = !splits && !draft.isPattern;
  const isAlone = isSingle && pieces <= 1;
  const isNumeric = draft.isNumeric && pieces === 1;
  return dynamicWord(reason, prefix, span, {
    isSingle: trueIf(isSingle),
    isPattern: trueIf(draft.isListing && draft.allowsPattern),
    isNumeric: trueIf(isNumeric),
    isSeveral: trueIf(isNumeric && draft.isSeveral),
    content: isAlone ? (draft.content ?? undefined) : undefined,
    isPipe: trueIf(isAlone && draft.isPipe),
  });
}

function trueIf(condition: boolean): true | undefined {
  return condition ? true : undefined;
}
