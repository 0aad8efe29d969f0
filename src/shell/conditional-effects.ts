import { BUILTINS } from "./builtins/builtins.ts";
import { isWithoutVariables } from "./state/variable-uses.ts";
import { isQuietEffect } from "./model/effects.ts";
import type { Effect, SimpleCommand } from "./model/model.ts";
import type { Walk } from "./state/walk.ts";

/** Builtins that leave the shell as it is, but for its directory, which is followed. */
const QUIET_BUILTINS = new Set(["cd", "pwd", "echo", "printf", "test", "[", "true", "false", ":", "command"]);

/**
 * The effects of a text. A conditional effect counts as conditional only if nothing else in the text can change a file, or set a variable that
 * names one. Otherwise it counts as certain.
 */
export function settledEffects(walk: Walk): readonly Effect[] {
  const { effects } = walk;
  if (effects.every(({ through }) => through === undefined) || isUndisturbed(walk)) return effects;
  return effects.map((effect) => ({ ...effect, through: undefined }));
}

function isUndisturbed({ effects, simples, ledger }: Walk): boolean {
  return isWithoutVariables(ledger) && effects.every((effect) => effect.through !== undefined || isQuietEffect(effect)) && simples.every(isQuiet);
}

function isQuiet({ program }: SimpleCommand): boolean {
  return program === null || !BUILTINS.has(program) || QUIET_BUILTINS.has(program);
}
