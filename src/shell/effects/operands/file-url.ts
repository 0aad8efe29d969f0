import type { Word } from "../../model/model.ts";
import { behind, literalPrefix, openWord } from "../../model/words.ts";

/** An address of this machine, with what curl takes for its host. */
const START = /^file:(?:\/\/(?:localhost|127\.0\.0\.1)?(?=\/))?/i;

/** What means itself in a path of an address: neither escaped (`%2e`), nor a list (`{a,b}`, `[1-9]`), nor the beginning of a query. */
const PLAIN = /^(?!\/\/)[\w./+@=,:~ -]*$/;

/** Whether an address names a file of this machine. */
export function isFileUrl(word: Word): boolean {
  return /^file:/i.test(literalPrefix(word));
}

/** The path that such an address names, and one that is not known where the address is not plain. */
export function fileOfUrl(word: Word): Word {
  const start = START.exec(literalPrefix(word))?.[0] ?? "";
  const path = behind(word, start.length);
  if (path.kind === "literal" && PLAIN.test(path.value)) return path;
  return openWord("parameter", "", word.span);
}
