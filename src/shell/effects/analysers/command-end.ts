import type { Word } from "../../model/model.ts";
import { literalPrefix, literalValue, mayBeSeveral } from "../../model/words.ts";

/** A command among the words of another program ends at one of them: `-exec … ;`, `-exec … {} +`. */
export type Place = { readonly before: Word | undefined; readonly word: Word; readonly after: Word | undefined };

/**
 * Whether a word that is not known may end the command early, so that what follows it are the program's own words again: `$x` may be `;`, and `; -delete`
 * where it is not quoted. One that stays a single word does so only before what `goesOn` takes for such a word.
 */
export function mayEndCommand({ before, word, after }: Place, goesOn: (text: string) => boolean): boolean {
  const isBeforeMore = after !== undefined && (after.kind !== "literal" || goesOn(after.value));
  if (word.kind === "literal")
    return word.value === "+" && before !== undefined && before.kind !== "literal" && "{}".startsWith(literalPrefix(before)) && isBeforeMore;
  if (word.kind === "dynamic" && word.isNumeric === true) return false;
  const prefix = literalPrefix(word);
  if (prefix !== "" && prefix !== ";" && !(prefix === "+" && (literalValue(before) ?? "{}") === "{}")) return false;
  return mayBeSeveral(word) || isBeforeMore;
}
