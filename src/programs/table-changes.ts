import { createCatalogue, type Family } from "./catalogue.ts";
import { type TableCall, tableCalls } from "./table-calls.ts";
import type { ProgramNode } from "./table.ts";

/** A program that two sets of tables do not say the same of, and commands that show it. `isCut`: there were more of them. */
export type ProgramChange = { readonly program: string; readonly calls: readonly TableCall[]; readonly isCut: boolean };

/** So many commands show enough of one program, however many there may be. */
const MOST_OF_A_PROGRAM = 1500;

/**
 * The programs of which two sets of tables do not say the same, by name. `before` null: nobody knows what it says, so each program is one. At most
 * `most` commands. Throws `broken-invariant` with file and line for a table that cannot be read.
 */
export function programChanges(before: readonly Family[] | null, after: readonly Family[], most: number): readonly ProgramChange[] {
  const [one, other] = [createCatalogue(without(before ?? [], after)), createCatalogue(without(after, before ?? []))];
  const changed: (readonly [string, ProgramNode | undefined, ProgramNode | undefined])[] = [];
  for (const program of [...new Set([...one.names, ...other.names])].toSorted()) {
    const [was, is] = [one.find(program), other.find(program)];
    const isSame = tableCalls(was, is).next().done === true;
    if (!isSame) changed.push([program, was, is]);
  }
  const share = Math.min(MOST_OF_A_PROGRAM, Math.max(1, Math.floor(most / Math.max(1, changed.length))));
  return changed.map(([program, was, is], index) => ({ program, ...firstOf(tableCalls(was, is), index < most ? share : 0) }));
}

/** The families that the others have not, text for text. What stands in both says the same of its programs. */
function without(families: readonly Family[], others: readonly Family[]): readonly Family[] {
  return families.filter(({ file, text }) => !others.some((other) => other.file === file && other.text === text));
}

function firstOf(calls: Iterable<TableCall>, most: number): Pick<ProgramChange, "calls" | "isCut"> {
  const found = new Map<string, TableCall>();
  for (const call of calls) {
    const key = JSON.stringify(call);
    if (found.has(key)) continue;
    if (found.size === most) return { calls: [...found.values()], isCut: true };
    found.set(key, call);
  }
  return { calls: [...found.values()], isCut: false };
}
