import { join } from "node:path";
import { z } from "zod";
import { readStateRecord, writeStateRecord } from "./record.ts";

const schema = z.strictObject({ version: z.literal(1), places: z.array(z.string()) });
const path = (stateDirectory: string): string => join(stateDirectory, "workspaces.json");

/** The real paths of all directories that agents of this account could ever write to; null as long as nobody kept them. Throws `bad-configuration`. */
export function readWorkspaces(stateDirectory: string): readonly string[] | null {
  return readStateRecord(path(stateDirectory), schema, { of: "workspaces", again: "trust your policies anew" })?.places ?? null;
}

/** Keeps directories for good. `before`: those that there were when nobody kept any. The caller holds the store exclusively. */
export function keepWorkspaces(stateDirectory: string, places: readonly string[], before: () => readonly string[]): void {
  const kept = readWorkspaces(stateDirectory);
  const known = kept ?? before();
  if (kept !== null && places.every((place) => known.includes(place))) return;
  writeStateRecord(path(stateDirectory), { version: 1, places: [...new Set([...known, ...places])].toSorted() });
}
