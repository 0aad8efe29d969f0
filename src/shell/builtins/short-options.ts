import type { Word } from "../model/model.ts";
import { mayBeOption } from "./builtin.ts";

export type ShortOptions = {
  /** The operands, in order. */
  readonly operands: readonly Word[];
  /** The values of options, by their letter; null for an option without one. */
  readonly values: ReadonlyMap<string, Word | null>;
};

/** Reads short options; `valued` are the letters that take a value. Null: a word may be an option and is not known. */
export function readOptions(words: readonly Word[], valued: string): ShortOptions | null {
  const values = new Map<string, Word | null>();
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined || !mayBeOption(word)) break;
    if (word.kind !== "literal") return null;
    if (word.value === "-") break;
    if (word.value === "--") {
      at += 1;
      break;
    }
    for (let letter = 1; letter < word.value.length; letter += 1) {
      const name = word.value.charAt(letter);
      if (!valued.includes(name)) {
        values.set(name, null);
        continue;
      }
      const attached = word.value.slice(letter + 1);
      if (attached === "") at += 1;
      values.set(name, attached === "" ? (words[at] ?? null) : { ...word, value: attached });
      break;
    }
  }
  return { operands: words.slice(at), values };
}
