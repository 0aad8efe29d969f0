import type { Approvals } from "../../approvals/approvals.ts";
import { grantOfApproval } from "../../approvals/grant.ts";
import { appendAudit, type AuditLog } from "../../audit/log/log.ts";
import { tailAudit } from "../../audit/log/read.ts";

/** More grants than a run is given. */
const MAX_GRANTS = 1_000;

/** Records the grant that an answer made, if any, and only once: the process that took the answer and the run that uses it both call this. */
export function recordGrant(audit: AuditLog, approvals: Approvals, run: string, approvalId: string): void {
  const grant = grantOfApproval(approvals, approvalId);
  if (grant === null) return;
  const { id, pattern, place, effects, by, expiresAtMs } = grant;
  if (tailAudit(audit, { run, kind: "grant-added", limit: MAX_GRANTS }).some(({ payload }) => payload["grant"] === id)) return;
  const until =
    grant.job !== null
      ? `the job ${grant.job.name} is another`
      : grant.run !== null
        ? grant.run
        : expiresAtMs === null
          ? null
          : new Date(expiresAtMs).toISOString();
  appendAudit(audit, { run, payload: { kind: "grant-added", grant: id, approval: approvalId, pattern, place, effects, until, by } });
}
