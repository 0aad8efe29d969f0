import type { State } from "../state/state.ts";
import type { Scope } from "../state/walk.ts";

/**
 * What a tilde prefix stands for: the text with `~`, `~/…` or `~+` replaced, or null when it names
 * another user's home or a directory that is not known.
 */
export function expandTilde(scope: Scope, text: string, state: State): string | null {
  const slash = text.indexOf("/");
  const name = slash < 0 ? text : text.slice(0, slash);
  const rest = slash < 0 ? "" : text.slice(slash);
  if (name === "~") return scope.home === null ? null : scope.home + rest;
  const directory = state.directories?.length === 1 ? state.directories[0] : undefined;
  return name === "~+" && directory !== undefined ? directory + rest : null;
}

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/**
 * Expands the tildes of a text that looks like an assignment: behind its `=` and behind each `:`. Bash
 * does so for arguments too (`dd of=~/x`). Null when one of them is not known.
 */
export function expandTildes(scope: Scope, text: string, state: State): string | null {
  const start = ASSIGNMENT.exec(text)?.[0].length;
  if (start === undefined) return text;
  const value = expandValue(scope, text.slice(start), state);
  return value === null ? null : text.slice(0, start) + value;
}

/** The same for the value of an assignment alone. */
export function expandValue(scope: Scope, text: string, state: State): string | null {
  if (!text.includes("~")) return text;
  const parts: string[] = [];
  for (const part of text.split(":")) {
    const expanded = part.startsWith("~") ? expandTilde(scope, part, state) : part;
    if (expanded === null) return null;
    parts.push(expanded);
  }
  return parts.join(":");
}
