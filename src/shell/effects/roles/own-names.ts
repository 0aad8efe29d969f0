import type { Word } from "../../model/model.ts";
import { showWord } from "../../model/words.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect } from "../reading/collector.ts";

/** `kernel.x=1` sets; `kernel.x` shows. sysctl makes a path of it, in which dots and slashes may change places. */
export function readSetting(to: Collector, word: Word): void {
  if (word.kind !== "literal" || word.value.includes("=")) addEffect(to, "system", word.span, `\`${to.program}\` may set ${showWord(word)}`);
  else if (/\.\.|\/\//.test(word.value)) addOtherPlace(to, word);
}

/** A name that the program looks up in a directory of its own. */
export function readName(to: Collector, word: Word): void {
  if (word.kind !== "literal" || /\/|^\.\.?$/.test(word.value)) addOtherPlace(to, word);
}

function addOtherPlace(to: Collector, word: Word): void {
  addEffect(to, "unknown", word.span, `${showWord(word)} may lead \`${to.program}\` to another place than its own`);
}
