import { isHot, isSteering } from "../../state/hot-variables.ts";
import type { Word } from "../../model/model.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect } from "../reading/collector.ts";
import { literalPrefix, showWord } from "../../model/words.ts";

/**
 * `NAME=VALUE` in front of a command (`env NAME=VALUE program`): the same variables are refused as where the
 * shell itself sets them, because programs take pagers, libraries, proxies and start-up files from them.
 */
export function readAssignment(to: Collector, word: Word): void {
  to.assigned.push(word);
  const text = literalPrefix(word);
  const equals = text.indexOf("=");
  const name = equals < 0 ? text : text.slice(0, equals);
  const value = word.kind === "literal" ? text.slice(equals + 1) : null;
  if (equals > 0 && /^[A-Za-z_]\w*$/.test(name) && !isHot(name, value) && !isSteering(name, value)) return;
  addEffect(to, "unknown", word.span, `${showWord(word)} sets a variable that may steer what \`${to.program}\` starts`);
}
