import { LIMITS } from "../model/limits.ts";
import type { Word } from "../model/model.ts";

/** The words that a shell, a script or a function was started with. */
export type Positional = {
  /** `$0`; null when it is not known. */
  readonly name: Word | null;
  /** `$1` and what follows; null when not known. A word that may become several stands for all of them. */
  readonly words: readonly Word[] | null;
};

/** The analysed text is run without operands. */
export const NO_PARAMETERS: Positional = { name: null, words: [] };
export const UNKNOWN_PARAMETERS: Positional = { name: null, words: null };

/** The words as far as they are followed: a list that doubles itself call by call would fill the memory. */
export function boundedWords(words: readonly Word[] | null): readonly Word[] | null {
  return words === null || words.length > LIMITS.maxParameters || words.some(isLong) ? null : words;
}

function isLong(word: Word): boolean {
  const text = word.kind === "literal" ? word.value : word.kind === "pattern" ? word.glob : word.prefix;
  return text.length > LIMITS.maxValueCharacters;
}

/** What a script gets of the words behind its text: `sh -c TEXT NAME WORD…`. */
export function parametersOf(operands: readonly Word[] | undefined): Positional {
  const [name, ...words] = operands ?? [];
  if (operands === undefined) return UNKNOWN_PARAMETERS;
  if (name === undefined) return NO_PARAMETERS;
  return isExactlyOne(name) ? { name: isLong(name) ? null : name, words: boundedWords(words) } : UNKNOWN_PARAMETERS;
}

export function mergePositional(one: Positional, other: Positional): Positional {
  if (one === other) return one;
  return { name: one.name === other.name ? one.name : null, words: sameWords(one.words, other.words) ? one.words : null };
}

function sameWords(one: readonly Word[] | null, other: readonly Word[] | null): boolean {
  if (one === null || other === null || one.length !== other.length) return one === other;
  return one.every((word, index) => word === other[index] || isSameLiteral(word, other[index]));
}

function isSameLiteral(word: Word, other: Word | undefined): boolean {
  return word.kind === "literal" && other?.kind === "literal" && word.value === other.value;
}

/** Whether a word is one word for certain, however it turns out. */
export function isExactlyOne(word: Word): boolean {
  return word.kind === "literal" || (word.kind === "dynamic" && word.isSingle === true);
}

/**
 * The parameter `$number`: its word, `unset` where there are fewer, and null where it is not certain which it is. The name of a
 * file only stands for a pattern where nothing can take its place when it matches none.
 */
export function parameterAt({ words }: Positional, number: number): Word | "unset" | null {
  if (words === null || !words.slice(0, number - 1).every(isExactlyOne)) return null;
  const word = words[number - 1];
  if (word === undefined) return "unset";
  if (word.kind === "pattern") return number === words.length ? word : null;
  return isExactlyOne(word) ? word : null;
}

/** What `shift` leaves: null where it is not certain. More than there are is refused. */
export function shifted(words: readonly Word[] | null, count: number): readonly Word[] | null {
  if (words === null || !words.slice(0, count).every(isExactlyOne)) return null;
  return count > words.length ? words : words.slice(count);
}

/** A number behind a zero is octal to bash. */
const INTEGER = /^(?:0| ?-?[1-9]\d{0,3})$/;
const LENGTH = /^(?:0|[1-9]\d{0,3})$/;

/** The words of `${@:offset:length}`; null where they are not certain. `${@:0}` begins with the name of the shell. */
export function sliceOf({ words }: Positional, offset: string, length: string | undefined): readonly Word[] | null {
  if (words === null || !INTEGER.test(offset) || (length !== undefined && !LENGTH.test(length))) return null;
  const from = Number(offset);
  if (from === 0) return null;
  const isExact = words.every(isExactlyOne);
  if (from < 0 || length !== undefined) {
    const start = from < 0 ? words.length + from : from - 1;
    // More than there are gives nothing; all of them and one more begin with the name of the shell.
    if (!isExact || start < 0) return null;
    return words.slice(start, length === undefined ? undefined : start + Number(length));
  }
  return words.slice(0, from - 1).every(isExactlyOne) ? words.slice(from - 1) : null;
}
