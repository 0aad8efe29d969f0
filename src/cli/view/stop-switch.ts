import { makeVisibleLine } from "../../base/text.ts";
import type { StopScope, StopState } from "../../gate/stop-switch.ts";

/** `everything`, `the network`, `the tool shell`, `run-…`, as a list. */
export function scopesText(scopes: readonly StopScope[]): string {
  return scopes.map(scopeText).join(", ");
}

function scopeText(scope: StopScope): string {
  if (scope === "all") return "everything";
  if (scope === "network") return "the network";
  return makeVisibleLine(scope.startsWith("run:") ? scope.slice("run:".length) : `the tool ${scope.slice("tool:".length)}`);
}

/** The options of `warder start` that release just these. */
export function optionsText(scopes: readonly StopScope[]): string {
  // Without an option it is everything; beside others that has to be said.
  const all = scopes.length > 1 ? " --all" : "";
  return scopes.map((scope) => (scope === "all" ? all : scope === "network" ? " --network" : ` --${scope.replace(":", " ")}`)).join("");
}

/** A line for a person when the stop switch is engaged for anything; none when it is not. */
export function stopLines({ scopes, by, atMs, fault }: StopState): readonly string[] {
  if (scopes.length === 0) return [];
  const who = by === null || atMs === null ? "" : `, by ${makeVisibleLine(by)} at ${new Date(atMs).toISOString()}`;
  return [
    `The stop switch is engaged: ${scopesText(scopes)}${who}${fault === null ? "" : ` (${makeVisibleLine(fault)})`}. Released by: warder start${optionsText(scopes)}\n`,
  ];
}
