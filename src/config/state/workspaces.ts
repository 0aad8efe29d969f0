import { join } from "node:path";
import { type RecordShape, readStateRecord, writeStateRecord } from "./record.ts";

/** `{ version: 1, places: [PATH, …] }` and nothing else. By hand: each policy is loaded with it, and most commands load no schema. */
const shape: RecordShape<{ readonly places: readonly string[] }> = {
  safeParse: (value) => {
    const { version, places, ...others } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
    const isRecord = version === 1 && Array.isArray(places) && places.every((place) => typeof place === "string") && Object.keys(others).length === 0;
    return isRecord ? { success: true, data: { places } } : { success: false };
  },
};

const path = (stateDirectory: string): string => join(stateDirectory, "workspaces.json");

/** The real paths of all directories that agents of this account could ever write to; null as long as nobody kept them. Throws `bad-configuration`. */
export function readWorkspaces(stateDirectory: string): readonly string[] | null {
  return readStateRecord(path(stateDirectory), shape, { of: "workspaces", again: "trust your policies anew" })?.places ?? null;
}

/** Keeps directories for good. `before`: those that there were when nobody kept any. The caller holds the store exclusively. */
export function keepWorkspaces(stateDirectory: string, places: readonly string[], before: () => readonly string[]): void {
  const kept = readWorkspaces(stateDirectory);
  const known = kept ?? before();
  if (kept !== null && places.every((place) => known.includes(place))) return;
  writeStateRecord(path(stateDirectory), { version: 1, places: [...new Set([...known, ...places])].toSorted() });
}
