import { LIMITS } from "../model/limits.ts";
import type { Positional } from "./parameters.ts";
import { mergePositional, UNKNOWN_PARAMETERS } from "./parameters.ts";

/**
 * What is certain at one point of a script. Values are never changed, so that branches can share them.
 */
export type State = {
  /** The directories that the shell may stand in here, the intended one first; null when unknown. */
  readonly directories: readonly string[] | null;
  /** Variables whose value is known here for certain, and `NAME()` for functions that exist for certain. */
  readonly variables: ReadonlyMap<string, string>;
  /** `$0`, `$1`, `$@`: the words that the script or function was given, until `set` or `shift` change them. */
  readonly positional: Positional;
};

/** What holds after a command succeeded and after it failed; null when it cannot end that way. */
export type Flow = { readonly success: State | null; readonly failure: State | null };

export const NO_VARIABLES: ReadonlyMap<string, string> = new Map();

/** Where nothing is known. */
export const ANYWHERE: State = { directories: null, variables: NO_VARIABLES, positional: UNKNOWN_PARAMETERS };

export function flowOf(state: State): Flow {
  return { success: state, failure: state };
}

/** What holds when either of two states may hold. */
export function mergeStates(one: State | null, other: State | null): State | null {
  if (one === null || one === other) return other;
  if (other === null) return one;
  return {
    directories: mergeDirectories(one.directories, other.directories),
    variables: mergeVariables(one.variables, other.variables),
    positional: mergePositional(one.positional, other.positional),
  };
}

/** What holds after a command, however it ended. A command that never ends leaves what held before it. */
export function afterFlow(flow: Flow, before: State): State {
  return mergeStates(flow.success, flow.failure) ?? before;
}

export function withVariable(state: State, name: string, value: string): State {
  const variables = new Map(state.variables);
  variables.set(name, value);
  return { ...state, variables };
}

function mergeDirectories(one: readonly string[] | null, other: readonly string[] | null): readonly string[] | null {
  if (one === null || other === null) return null;
  if (one === other) return one;
  const merged: string[] = [];
  for (const path of [...one, ...other]) if (!merged.includes(path)) merged.push(path);
  return merged.length > LIMITS.maxDirectories ? null : merged;
}

function mergeVariables(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (one === other) return one;
  const merged = new Map<string, string>();
  for (const [name, value] of one) if (other.get(name) === value) merged.set(name, value);
  return merged;
}
