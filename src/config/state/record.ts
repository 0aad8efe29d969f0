import { dirname } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { guarded } from "../../store/files/fault.ts";
import { readOwn } from "../../store/files/regular-file.ts";
import { replaceFile } from "../../store/files/replace-file.ts";
import { makeDirectories } from "../../store/files/state-files.ts";

/** What a record is of (`trusted policies`), and how a person makes it anew. */
export type RecordWords = { readonly of: string; readonly again: string };

/** Whether a value is such a record: a schema, or a function in its place where a schema would be loaded for this alone. */
export type RecordShape<Value> = { safeParse(value: unknown): { readonly success: true; readonly data: Value } | { readonly success: false } };

/** Reads a JSON file in the state directory; null if there is none. Throws `bad-configuration` if it cannot be understood. */
export function readStateRecord<Value>(path: string, shape: RecordShape<Value>, { of, again }: RecordWords): Value | null {
  let value: unknown;
  try {
    const text = readOwn(path, "bad-configuration");
    if (text === null) return null;
    value = JSON.parse(text.toString("utf8"));
  } catch (error) {
    throw new AgentError("bad-configuration", `${path} cannot be read. Remove it and ${again}.`, { cause: error });
  }
  const parsed = shape.safeParse(value);
  if (!parsed.success) throw new AgentError("bad-configuration", `${path} is not a record of ${of}. Remove it and ${again}.`);
  return parsed.data;
}

/** Writes it whole or not at all, for its owner alone. Throws `store-unavailable`, with what to do. */
export function writeStateRecord(path: string, value: unknown): void {
  makeDirectories(dirname(path));
  guarded("store-unavailable", `${path} cannot be written`, () => {
    replaceFile(path, `${JSON.stringify(value, null, 2)}\n`, 0o600);
  });
}
