import type { Flow, State } from "./state.ts";
import { afterFlow, flowOf, mergeStates } from "./state.ts";
import type { Scope } from "./walk.ts";

/**
 * Reads a body that may run more than once. If it changes the directory or the positional parameters, the second round does not start
 * where the first did, so it is read again with them unknown.
 */
export function repeat(scope: Scope, state: State, read: (entry: State) => Flow): Flow {
  const { walk } = scope;
  const { moves, shifts } = walk;
  const first = read(state);
  const hasMoved = walk.moves !== moves;
  const hasShifted = walk.shifts !== shifts;
  if (!hasMoved && !hasShifted) return flowOf(keepVariables(afterFlow(first, state), state));
  const positional = hasShifted ? { ...state.positional, words: null } : state.positional;
  const lost: State = { ...state, directories: hasMoved ? null : state.directories, positional };
  read(lost);
  return flowOf(lost);
}

/** What a body that may not have run at all leaves: nothing that it assigned. */
function keepVariables(after: State, before: State): State {
  return mergeStates({ ...after, directories: before.directories }, before) ?? before;
}
