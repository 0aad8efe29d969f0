import { consumeApproval } from "../../approvals/approval.ts";
import { appendAuditWith } from "../../audit/log/log.ts";
import { sha256 } from "../../base/digest.ts";
import type { PlanHandle } from "../../tools/contract/tool.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";
import type { Progress } from "./progress.ts";

/** The end of a run's read-only part: by the very plan that was ruled on, and a person's yes to it, which is spent with it. */
export function planHandle(call: RuledCall, progress: Progress): PlanHandle {
  const { parts, approvals } = call.gate;
  const leave = (plan: string): string | null => {
    if (progress.isOver || call.signal.aborted) return "Not done: the call has ended.";
    if (!call.wanted.some((request) => request.kind === "plan" && request.plan === plan)) return "Not done: the call did not ask for this plan.";
    if (parts.planning?.isOpen() !== true) return "Not done: this run does not plan.";
    // Whatever else allowed the call, it was no person.
    if (call.ruling.decision.verdict !== "ask") return "Not done: no person was asked.";
    const digest = sha256(plan);
    try {
      appendAuditWith(parts.audit, () => {
        if (progress.approvalId !== null && !consumeApproval(approvals, progress.approvalId)) throw new Error("An approval was about to be used twice.");
        parts.planning?.leave(digest);
        return { run: parts.runId, payload: { kind: "plan-approved", call: call.ruling.callId, ruling: call.ruling.digest, plan: digest } };
      });
      return null;
    } catch (error) {
      progress.fault ??= error;
      return "Not done: it could not be recorded.";
    }
  };
  return { leave: (plan) => Promise.resolve(leave(plan)) };
}
