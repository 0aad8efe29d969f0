import { quote } from "shell-quote";
import type { Redirection, SimpleCommand, Word } from "./model/model.ts";

/**
 * A simple command in its canonical form, for people: quotes as they must be, known values in place of
 * variables, and `‹parameter›` where a value is not known before the command runs.
 */
export function renderCommand(simple: SimpleCommand): string {
  const parts: string[] = [];
  for (const { name, value, append } of simple.assignments) parts.push(`${name}${append ? "+=" : "="}${value === null ? "(…)" : renderWord(value)}`);
  for (const word of simple.argv) parts.push(renderWord(word));
  for (const redirection of simple.redirections) parts.push(renderRedirection(redirection));
  return parts.join(" ");
}

/** One word in the same form. */
export function renderWord(word: Word): string {
  if (word.kind === "literal") return quoteWord(word.value);
  if (word.kind === "pattern") return word.glob;
  return `${word.prefix === "" ? "" : quoteWord(word.prefix)}‹${word.reason}›`;
}

function renderRedirection(redirection: Redirection): string {
  const { fd, operator, target } = redirection;
  const isUsual = fd === null || fd === (operator.startsWith("<") ? 0 : 1) || operator.startsWith("&");
  const head = `${isUsual ? "" : fd}${operator}`;
  if (redirection.effect === "text" && operator !== "<<<") return `${head} (text)`;
  return `${head}${redirection.effect === "duplicate" ? "" : " "}${renderWord(target)}`;
}

// What no shell gives a meaning to, so that quoting it would only make it harder to read.
const PLAIN = /^[\w@%+:,./-]+$/;

/** One word as a shell reads it back: quoted where it must be. */
export function quoteWord(word: string): string {
  return PLAIN.test(word) ? word : quote([word]);
}

/** A word of any bytes in single quotes: code, where each of them counts. */
export function quoteCode(code: string): string {
  return `'${code.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * The command text of words as a person's shell handed them over. One word is a text. Several are a program and its arguments, each the
 * word that it is; before the program, `NAME=value` sets a variable, as in a shell.
 */
export function commandText(words: readonly string[]): string {
  if (words.length <= 1) return words.join("");
  const isSetting = words.map((word) => /^[A-Za-z_]\w*=/u.test(word));
  const program = isSetting.indexOf(false);
  return words.map((word, index) => (index < program ? word.replace(/=.*$/su, (value) => `=${exactWord(value.slice(1))}`) : exactWord(word))).join(" ");
}

/** One word as a shell reads it back, whatever bytes it has. */
export function exactWord(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : quoteCode(word);
}

/** Words as one line that a shell splits into exactly these words. */
export function quoteArgv(argv: readonly string[]): string {
  return argv.map(quoteWord).join(" ");
}
