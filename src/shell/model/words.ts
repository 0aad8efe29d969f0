import type { DynamicReason, Span, Word } from "./model.ts";

// Every word of a kind has the same fields in the same order, also those that are not set: V8 reads a field of objects of three shapes in place,
// and looks it up where there are more. A change of one field (`{ ...word, prefix }`) keeps the shape.

type DynamicWord = Word & { readonly kind: "dynamic" };
type PatternWord = Word & { readonly kind: "pattern" };

type Certain = Pick<DynamicWord, "isSingle" | "isAbsent" | "isNumeric" | "isSeveral" | "isCommit" | "isPattern" | "content" | "isPipe">;

const NOTHING: Certain = {};
const ONE: Certain = { isSingle: true };

/** A word whose value is not known: what it is certain to begin with, and what else is certain of it. */
export function dynamicWord(reason: DynamicReason, prefix: string, span: Span, certain: Certain = NOTHING): DynamicWord {
  const { isSingle, isAbsent, isNumeric, isSeveral, isCommit, isPattern, content, isPipe } = certain;
  return { kind: "dynamic", reason, prefix, isSingle, isAbsent, isNumeric, isSeveral, isCommit, isPattern, content, isPipe, span };
}

/** The same of what stays exactly one word. */
export function openWord(reason: DynamicReason, prefix: string, span: Span): DynamicWord {
  return dynamicWord(reason, prefix, span, ONE);
}

const NO_MORE: Pick<PatternWord, "root" | "unless" | "isSingle"> = {};

/** A word that names the files that a glob matches. */
export function patternWord(glob: string, span: Span, more: Pick<PatternWord, "root" | "unless" | "isSingle"> = NO_MORE): PatternWord {
  const { root, unless, isSingle } = more;
  return { kind: "pattern", glob, root, unless, isSingle, span };
}

/** A starting point and what is below. Twice: programs give their first and their last word different roles. */
export function pathsBelow(span: Span, start: string): (Word & { readonly kind: "pattern" })[] {
  const pattern = patternWord(globBelow(start), span, { root: start });
  return [pattern, pattern];
}

/** Every path below a starting point. */
export function globBelow(start: string): string {
  return `${start.replace(/[\\*?[\]()|!+@]/g, "\\$&").replace(/\/$/, "")}/**`;
}

/** The text that a word is certain to begin with. */
export function literalPrefix(word: Word): string {
  if (word.kind === "literal") return word.value;
  if (word.kind === "dynamic") return word.prefix;
  return unescapeGlob(/^(?:\\.|[^\\*?[(])*/s.exec(word.glob)?.[0] ?? "");
}

/** The value of a word that is known; null for patterns and dynamic words. */
export function literalValue(word: Word | undefined): string | null {
  return word?.kind === "literal" ? word.value : null;
}

/** A word as a person would write it, for causes. */
export function showWord(word: Word): string {
  if (word.kind === "literal") return `\`${word.value}\``;
  if (word.kind === "pattern") return `\`${word.glob}\``;
  return word.prefix === "" ? "a value that is not known before it runs" : `\`${word.prefix}…\``;
}

/**
 * What is left of a word behind its first `length` characters, which {@link literalPrefix} must hold:
 * `--out=*.txt` behind `--out=` is the pattern `*.txt`.
 */
export function behind(word: Word, length: number): Word {
  if (word.kind === "literal") return { ...word, value: word.value.slice(length) };
  if (word.kind === "dynamic") return { ...word, prefix: word.prefix.slice(length) };
  let at = 0;
  for (let taken = 0; taken < length; taken += 1) at += word.glob[at] === "\\" ? 2 : 1;
  const glob = word.glob.slice(at);
  if (word.root === undefined) return { ...word, glob };
  // What is left of the start: of `if=` nothing, so that a slash begins every path.
  const root = word.root.slice(length);
  return length > word.root.length ? dynamicWord("appended-by-wrapper", "", word.span) : { ...word, glob, root: root === "" ? "/" : root };
}

/** A literal word with another value, at the same place. */
export function literalAt(word: Word, value: string): Word {
  return { kind: "literal", value, quoted: true, span: word.span };
}

/** Whether a word may turn out to be an option, or to vanish, or to become several words. */
export function mayBeOption(word: Word): boolean {
  if (word.kind === "literal" || isPipe(word)) return false;
  const prefix = literalPrefix(word);
  return prefix === "" || prefix.startsWith("-");
}

/** Whether a word names a pipe that a command of the text fills: `/dev/fd/63`, or a FIFO in the directory for temporary files. */
export function isPipe(word: Word): boolean {
  return word.kind === "dynamic" && word.isPipe === true;
}

/** Whether a word is names of commits, or nothing. */
export function isCommit(word: Word): boolean {
  return word.kind === "dynamic" && word.isCommit === true;
}

/** Whether a word may become several, so that what stands behind it stands elsewhere. */
export function mayBeSeveral(word: Word): boolean {
  return word.kind === "pattern"
    ? word.root === undefined
    : word.kind === "dynamic" && word.isSingle !== true && (word.isNumeric !== true || word.isSeveral === true);
}

function unescapeGlob(glob: string): string {
  return glob.replace(/\\(.)/gs, "$1");
}

/** `*`, `dir/*` and `dir/**` name everything there is. */
export function isUnbounded(word: Word): boolean {
  return word.kind === "pattern" && /(?:^|\/)\*+$/.test(word.glob);
}

/** A text as a glob that matches it alone. */
export function escapeGlob(text: string): string {
  return /[*?[\]\\]/.test(text) ? text.replace(/[*?[\]\\]/g, "\\$&") : text;
}
