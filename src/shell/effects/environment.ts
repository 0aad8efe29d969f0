import type { Word } from "../model.ts";
import type { Collector } from "./collector.ts";
import { addEffect } from "./collector.ts";
import { literalPrefix, showWord } from "./words.ts";

/** Variables that no program takes as code, a path to load, or a place to connect to. */
const HARMLESS =
  /^(?:CI|DEBUG|TZ|LANG|LANGUAGE|LC_[A-Z]+|FORCE_COLOR|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|COLORTERM|TERM|COLUMNS|LINES|NODE_ENV|PORT|RUST_BACKTRACE|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONIOENCODING|SOURCE_DATE_EPOCH|DEBIAN_FRONTEND|VERBOSE)$/;

/**
 * `NAME=VALUE` in front of a command (`env NAME=VALUE program`). Only names that are known to be harmless
 * pass: programs take pagers, editors, libraries, proxies and start-up files from their environment.
 */
export function readAssignment(to: Collector, word: Word): void {
  const text = literalPrefix(word);
  const equals = text.indexOf("=");
  const name = equals < 0 ? text : text.slice(0, equals);
  if (equals >= 0 && HARMLESS.test(name)) return;
  addEffect(to, "unknown", word.span, `${showWord(word)} sets a variable that may steer what \`${to.program}\` starts`);
}
