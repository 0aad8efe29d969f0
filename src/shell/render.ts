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

/** Words as one line that a shell splits into exactly these words. */
export function quoteArgv(argv: readonly string[]): string {
  return argv.map(quoteWord).join(" ");
}
