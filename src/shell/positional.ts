import type { Scope } from "./walk.ts";

const POSITIONAL = /^(?:[1-9]\d*|[@*])$/;
const ELSEWHERE = new Set(["function", "nested-shell", "trap"]);

/** What `set -- …` is noted as having assigned. */
export const ALL_POSITIONAL = "@";

/**
 * Whether a parameter is one of `$1`, `$@`, `$*` and is certain to be unset: the analysed text is run without
 * operands, so only a function, a script of its own or `set` gives it any.
 */
export function isUnsetPositional(scope: Scope, name: string): boolean {
  if (!POSITIONAL.test(name) || scope.contexts.some((context) => ELSEWHERE.has(context)) || scope.via.length > 0) return false;
  scope.walk.ledger.used.add(ALL_POSITIONAL);
  return !scope.walk.assumptions.contested.has(ALL_POSITIONAL);
}
