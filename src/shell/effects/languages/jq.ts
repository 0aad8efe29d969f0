import type { Word } from "../../model/model.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect } from "../reading/collector.ts";
import { showWord } from "../../model/words.ts";

/**
 * A jq filter (jq 1.7) computes and nothing else, but for modules, which it loads from files, and the
 * environment. The words are looked for everywhere, in strings too: `"\(env)"` is code.
 */
export function readJqFilter(to: Collector, word: Word): void {
  if (word.kind !== "literal") return addEffect(to, "unknown", word.span, `${showWord(word)} is a jq filter that is not known beforehand`);
  if (/(?<![.\w$])(?:import|include|modulemeta|get_search_list)\b/.test(word.value)) {
    addEffect(to, "unknown", word.span, `the jq filter ${showWord(word)} loads a module`);
  }
  if (/(?<![.\w$])env\b|\$(?:\s|#[^\n]*\n)*ENV\b/.test(word.value))
    addEffect(to, "secrets", word.span, `the jq filter ${showWord(word)} reads the environment`);
}
