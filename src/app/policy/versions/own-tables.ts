import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Family } from "../../../programs/catalogue.ts";
import { FAMILIES } from "../../../programs/programs.ts";

/** What one Warder tells another of itself. */
export type WarderTables = {
  /** Its version. */
  readonly warder: string;
  /** The checkout that it runs from, whose version says little; null: it is a package, which its version identifies. */
  readonly checkout: string | null;
  readonly families: readonly Family[];
};

// As far above this file's folder in `src` as in `dist`.
const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** What `warder policy tables` prints. */
export function ownTables(version: string): WarderTables {
  return { warder: version, checkout: existsSync(`${ROOT}src/cli/main.ts`) ? ROOT : null, families: FAMILIES };
}

/** Whether both are the same program, as far as each says of itself: of one version or in one checkout, with the same tables. */
export function isSameWarder(one: WarderTables, other: WarderTables): boolean {
  return JSON.stringify([one.warder, one.checkout, one.families]) === JSON.stringify([other.warder, other.checkout, other.families]);
}

/** What another Warder printed; null for what is no such answer. */
export function readTables(text: string): WarderTables | null {
  const { warder, checkout, families } = recordOf(jsonOf(text));
  if (typeof warder !== "string" || !(checkout === null || typeof checkout === "string") || !Array.isArray(families)) return null;
  const read = families.map(recordOf).map(({ file, text: lines }) => (typeof file === "string" && typeof lines === "string" ? { file, text: lines } : null));
  const whole = read.filter((family) => family !== null);
  return whole.length === read.length && whole.length > 0 ? { warder, checkout, families: whole } : null;
}

/** Null for what is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Empty for what is no object. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
