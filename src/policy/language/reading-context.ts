import type { SourcePosition } from "../decision.ts";
import { errorAt, type PolicyDiagnostic } from "../text/diagnostic.ts";
import type { PolicyContext } from "./path-expansion.ts";

/** A place in a policy file: keys and indices from its top. */
export type Path = readonly PropertyKey[];

/** What every reader of one file needs. Problems are collected, so a person sees all of them at once. */
export type Reading = { readonly at: (path: Path) => SourcePosition; readonly context: PolicyContext; readonly problems: PolicyDiagnostic[] };

/** The list, with a problem for each entry that is at fault; a load with problems goes no further. */
export function readList(
  entries: readonly string[],
  path: Path,
  reading: Pick<Reading, "at" | "problems">,
  faultOf: (entry: string) => string | null,
): readonly string[] {
  for (const [index, entry] of entries.entries()) requireSound(entry, [...path, index], reading, faultOf);
  return entries;
}

/** Adds a problem at the path when the value is at fault. The list that it may stand in is named without its index. */
export function requireSound(value: string, path: Path, reading: Pick<Reading, "at" | "problems">, faultOf: (value: string) => string | null): void {
  const fault = faultOf(value);
  const place = (typeof path.at(-1) === "number" ? path.slice(0, -1) : path).map(String).join(".");
  if (fault !== null) reading.problems.push(errorAt(reading.at(path), `${JSON.stringify(value)} cannot stand in \`${place}\`: ${fault}.`));
}
