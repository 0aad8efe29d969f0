import { withdrawOpen, type Approval } from "../../approvals/approval.ts";
import { appendAudit } from "../../audit/log/log.ts";
import type { Records } from "../records/records.ts";

/** Voids open questions of a run that are nobody's to answer any more: such as what was asked ahead and never came to its turn. */
export function withdrawQuestions({ approvals, audit }: Records, run: string, isMoot?: (approval: Approval) => boolean): void {
  for (const { id, callId, state, card } of withdrawOpen(approvals, run, isMoot))
    appendAudit(audit, {
      run,
      payload: { kind: "approval-void", call: callId, approval: id, was: state, bound: card.rulingDigest, ruling: card.rulingDigest },
    });
}
