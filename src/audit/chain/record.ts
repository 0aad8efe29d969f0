import { AgentError } from "../../base/errors.ts";
import type { AuditRow } from "../../store/rows/audit.ts";
import type { AuditKind, AuditRecord } from "../entries/entry.ts";

/** A stored row as a record. Throws `audit-unavailable` when it is not one that Warder wrote. */
export function recordOf(row: AuditRow): AuditRecord {
  const record = parsedRecord(row);
  if (record === null) throw new AgentError("audit-unavailable", `Record ${row.seq} of the audit log cannot be read. See \`warder audit verify\`.`);
  return record;
}

/** The same, null when it is not one that Warder wrote. */
export function parsedRecord(row: AuditRow): AuditRecord | null {
  const value = parseJson(row.record);
  if (typeof value !== "object" || value === null) return null;
  const { seq, at, run, kind, previous, together: _together, ...payload } = value as Record<string, unknown>;
  if (typeof seq !== "number" || typeof at !== "string" || typeof kind !== "string" || typeof previous !== "string") return null;
  if (run !== null && typeof run !== "string") return null;
  // The kind was checked by the type of `appendAudit`; a record of a later version may have another.
  return { seq, at, run, kind: kind as AuditKind, hash: row.hash, previous, payload };
}

/** The last sequence of those that were written in the record's transaction. Records of an older Warder do not say it: each was written alone. */
export function togetherOf({ seq, record }: AuditRow): number {
  const value = parseJson(record);
  return typeof value === "object" && value !== null && "together" in value && typeof value.together === "number" ? value.together : seq;
}

/** The value of a JSON text, null when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
