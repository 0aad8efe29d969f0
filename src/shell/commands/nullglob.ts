import { LIMITS } from "../model/limits.ts";
import type { Span, Word } from "../model/model.ts";
import { mayVanish } from "../state/variables.ts";
import type { Scope } from "../state/walk.ts";
import { addUndecidable, spendNodes } from "../state/scope.ts";

/**
 * With `nullglob`, a pattern that matches nothing is left out: `cp a b *.c` writes b. These are the other lists of words that a command may get.
 * Its name stays.
 */
export function omissionsOf(scope: Scope, words: readonly Word[], span: Span): readonly (readonly Word[])[] {
  if (!mayVanish(scope)) return NONE;
  const patterns = words.flatMap((word, index) => (index > 0 && word.kind === "pattern" && word.root === undefined && word.isSingle !== true ? [index] : []));
  if (patterns.length > LIMITS.maxOmissions) {
    addUndecidable(scope, "too-many-nodes", span);
    return [];
  }
  const length = 2 ** patterns.length - 1;
  spendNodes(scope, length);
  return Array.from({ length }, (_, kept) => words.filter((_word, index) => isKept(patterns.indexOf(index), kept)));
}

const NONE: readonly (readonly Word[])[] = [];

/** Whether the word stays, by the bits of the patterns that do. */
function isKept(pattern: number, kept: number): boolean {
  return pattern < 0 || Math.floor(kept / 2 ** pattern) % 2 === 1;
}
