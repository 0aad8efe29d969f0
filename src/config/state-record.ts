import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { z } from "zod";
import { AgentError } from "../base/errors.ts";
import { makeDirectories } from "../store/state-files.ts";

/** What a record is of (`trusted policies`), and how a person makes it anew. */
export type RecordWords = { readonly of: string; readonly again: string };

/** A JSON file of the state directory; null when there is none. Throws `bad-configuration` for one that cannot be understood: it says nothing then. */
export function readStateRecord<Schema extends z.ZodType>(path: string, schema: Schema, { of, again }: RecordWords): z.output<Schema> | null {
  if (!existsSync(path)) return null;
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new AgentError("bad-configuration", `${path} cannot be read. Remove it and ${again}.`, { cause: error });
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new AgentError("bad-configuration", `${path} is not a record of ${of}. Remove it and ${again}.`);
  return parsed.data;
}

/** Writes it whole or not at all, for its owner alone. */
export function writeStateRecord(path: string, value: unknown): void {
  makeDirectories(dirname(path));
  writeFileSync(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
