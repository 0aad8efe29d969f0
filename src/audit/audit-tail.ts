import { guarded } from "../store/store-fault.ts";
import { recordOf } from "./audit-record.ts";
import type { AuditLog } from "./audit-log.ts";
import type { AuditKind, AuditRecord } from "./entry.ts";

export type TailQuery = {
  readonly limit: number;
  readonly run?: string;
  readonly kind?: AuditKind;
  /** Only records after this sequence: for following the log. */
  readonly after?: number;
};

/** The newest records that match, the oldest of them first. Nothing is verified: see `verifyAudit`. */
export function tailAudit(log: AuditLog, query: TailQuery): readonly AuditRecord[] {
  return guarded("audit-unavailable", "The audit log cannot be read", () => log.store.audit.newest(query).map(recordOf));
}
