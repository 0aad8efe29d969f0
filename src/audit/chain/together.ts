import type { KeyObject } from "node:crypto";
import type { AuditRow } from "../../store/rows/audit.ts";
import type { AuditHead } from "./head.ts";
import { authenticate } from "./key.ts";
import { parsedRecord, togetherOf } from "./record.ts";

/** How many records one transaction writes at most. */
export const MAX_TOGETHER = 64;

/**
 * True for the records of one transaction, the whole of it and nothing more: what a killed process may have left ahead of the head. Nobody without the key
 * can make them. `rows`: those behind the head, up to one more than {@link MAX_TOGETHER}.
 */
export function isOneTransactionAhead(rows: readonly AuditRow[], head: AuditHead, key: KeyObject): boolean {
  const end = rows.at(-1);
  if (end === undefined || rows.length > MAX_TOGETHER) return false;
  return rows.every((row, index) => {
    const before = rows[index - 1] ?? head;
    if (row.seq !== before.seq + 1 || row.hash !== authenticate(key, "record", row.record)) return false;
    const record = parsedRecord(row);
    return record !== null && record.previous === before.hash && togetherOf(row) === end.seq;
  });
}
