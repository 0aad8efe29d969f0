import { newEffect } from "../model/effects.ts";
import { isFollowed, normalise } from "../effects/operands/paths.ts";
import { addEffects } from "../commands/add-command.ts";
import type { Flow, State } from "../state/state.ts";
import { flowOf } from "../state/state.ts";
import type { Scope } from "../state/walk.ts";
import type { Builtin, BuiltinCall } from "./builtin.ts";
import { textOf } from "./builtin.ts";

/** `cd`: where it succeeds, the shell stands in the new directory; where it fails, in the old one. */
export const changeDirectory: Builtin = (scope, call, state) => {
  let at = 0;
  let isPhysical = false;
  for (; at < call.words.length; at += 1) {
    const text = textOf(call.words[at]);
    if (text === null || !/^-[LPe@]+$|^--$/.test(text)) break;
    if (text.includes("P")) isPhysical = true;
    if (text === "--") {
      at += 1;
      break;
    }
  }
  const operands = call.words.slice(at);
  const target = operands.length === 0 ? scope.home : operands.length === 1 ? textOf(operands[0]) : null;
  return move(scope, call, { state, target: isPhysical ? null : target });
};

/** `pushd DIR` moves as `cd` does; its other forms and `popd` go to a directory of a stack. */
export const pushDirectory: Builtin = (scope, call, state) => {
  const target = call.words.length === 1 ? textOf(call.words[0]) : null;
  return move(scope, call, { state, target: target !== null && /^[+-]/.test(target) ? null : target });
};

export const popDirectory: Builtin = (scope, call, state) => move(scope, call, { state, target: null });

function move(scope: Scope, call: BuiltinCall, to: { readonly state: State; readonly target: string | null }): Flow {
  const { walk } = scope;
  walk.moves += 1;
  walk.found.hasMoved = true;
  if (walk.assumptions.isAnywhere) return flowOf({ ...to.state, directories: null });
  const directories = reach(to.state.directories, to.target);
  // What is reached through a link is outside of what the text says, so the directory is a path to measure.
  for (const path of directories ?? []) {
    addEffects(scope, call.index, [newEffect("reads", `\`${call.simple.program ?? "cd"}\` enters the directory`, call.simple.span, { kind: "literal", path })]);
  }
  return { success: { ...to.state, directories }, failure: to.state };
}

/** Where a shell that stands in one of these directories comes to; null where that is not known. */
function reach(from: readonly string[] | null, target: string | null): readonly string[] | null {
  // Bash keeps two slashes at the beginning, which POSIX lets mean another root.
  if (target === null || target === "" || target === "-" || /^\/\/(?!\/)/.test(target)) return null;
  const paths = target.startsWith("/") ? [target] : from?.map((directory) => `${directory}/${target}`);
  const reached = paths?.map(normalise) ?? [];
  return reached.length > 0 && reached.every(isFollowed) ? reached : null;
}
