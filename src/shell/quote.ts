import { quote } from "shell-quote";

// What no shell gives a meaning to, so that quoting it would only make it harder to read.
const PLAIN = /^[\w@%+:,./-]+$/;

/** One word as a shell reads it back: quoted where it must be. */
export function quoteWord(word: string): string {
  return PLAIN.test(word) ? word : quote([word]);
}

/** Words as one line that a shell splits into exactly these words. */
export function quoteArgv(argv: readonly string[]): string {
  return argv.map(quoteWord).join(" ");
}
