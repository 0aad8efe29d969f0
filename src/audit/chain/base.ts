import { timingSafeEqual, type KeyObject } from "node:crypto";
import { canonicalJson } from "../../base/digest.ts";
import type { AuditBaseRow } from "../../store/rows/audit.ts";
import { authenticate } from "./key.ts";

/** What the first record in the database follows when earlier ones were archived: their last sequence and its hash. */
export type AuditBase = { readonly seq: number; readonly hash: string };

/** The row that keeps a base, with the proof that Warder wrote it. */
export function baseRow(base: AuditBase, key: KeyObject): AuditBaseRow {
  return { ...base, mac: authenticate(key, "base", canonicalJson({ hash: base.hash, seq: base.seq })) };
}

/** Whether Warder wrote the row. */
export function isGenuineBase(row: AuditBaseRow, key: KeyObject): boolean {
  const expected = Buffer.from(baseRow({ seq: row.seq, hash: row.hash }, key).mac, "utf8");
  const found = Buffer.from(row.mac, "utf8");
  return found.length === expected.length && timingSafeEqual(found, expected);
}
