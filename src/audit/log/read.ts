import type { AuditFilter } from "../../store/rows/audit.ts";
import { guarded } from "../../store/files/fault.ts";
import { recordOf } from "../chain/record.ts";
import { settleAudit, type AuditLog } from "./log.ts";
import type { AuditKind, AuditRecord } from "../entries/entry.ts";

export type TailQuery = Omit<AuditFilter, "kind"> & { readonly kind?: AuditKind };

/** The newest records that match, the oldest of them first. Nothing is verified: see `verifyAudit`. */
export function tailAudit(log: AuditLog, query: TailQuery): readonly AuditRecord[] {
  settleAudit(log);
  return guarded("audit-unavailable", "The audit log cannot be read", () => log.store.audit.newest(query).map(recordOf));
}

const PAGE_ROWS = 500;

/** All records that match, in order, read page by page. Nothing is verified. */
export function* readAudit(log: AuditLog, query: Omit<TailQuery, "limit">): Generator<AuditRecord, void, void> {
  settleAudit(log);
  let after = query.after ?? 0;
  while (true) {
    const from = after;
    const rows = guarded("audit-unavailable", "The audit log cannot be read", () => log.store.audit.oldest({ ...query, after: from, limit: PAGE_ROWS }));
    yield* rows.map(recordOf);
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)?.seq ?? after;
  }
}
