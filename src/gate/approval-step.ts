import { claimApproval, rememberedAnswer } from "../approvals/approval.ts";
import type { ApprovalAnswer, ApprovalCard } from "../approvals/card.ts";
import { askPerson } from "../approvals/question.ts";
import { appendAudit } from "../audit/audit-log.ts";
import { redactSecrets } from "../audit/redact.ts";
import { newId } from "../base/ids.ts";
import { reserve, spend } from "../budgets/budget.ts";
import { approvalCard } from "./approval-card.ts";
import { nobodyText, refusalText } from "./answer-text.ts";
import type { RuledCall } from "./ruled-call.ts";
import { callDigest } from "./ruling.ts";

/** What a person's word, or its absence, makes of an ask. */
export type ApprovalEnd =
  | { readonly kind: "granted"; /** To be consumed with the first action; null for an answer that stands for the run. */ readonly approvalId: string | null }
  | { readonly kind: "refused"; readonly text: string }
  | { readonly kind: "nobody"; readonly text: string }
  | { readonly kind: "asks-spent"; readonly text: string };

/** Settles an ask: by what was answered before in this run, or by asking a person now. Every answer is recorded before it counts. */
export async function settleAsk(call: RuledCall): Promise<ApprovalEnd> {
  const { gate, ruling } = call;
  const rule = ruling.decision.rules.find((voice) => voice.verdict === "ask")?.id ?? "unknown";
  const before = rememberedAnswer(gate.approvals, gate.parts.runId, ruling.digest, callDigest(call.binding));
  if (before !== null) {
    recordAnswer(call, before.approvalId, { kind: before.kind, by: before.by, scope: "this-run" }, "answered before in this run");
    return before.kind === "granted"
      ? { kind: "granted", approvalId: null }
      : { kind: "refused", text: refusalText({ message: before.message, wasRemembered: true }) };
  }
  if (gate.parts.channel === null) {
    const answer = { kind: "nobody", reason: "there is nobody to ask in this run" } as const;
    recordAnswer(call, null, answer, answer.reason);
    return { kind: "nobody", text: nobodyText(rule, answer.reason) };
  }
  const reservation = reserve(gate.asks);
  if (reservation === null)
    return { kind: "asks-spent", text: `Not run: rule ${rule} wants a person's approval, and the policy's limit of questions is reached. Nobody was asked.` };
  spend(gate.asks, reservation);
  return await ask(call, rule);
}

async function ask(call: RuledCall, rule: string): Promise<ApprovalEnd> {
  const { gate, ruling } = call;
  const { parts } = gate;
  const card = approvalCard(call, newId("approval"));
  recordRequest(call, card, rule);
  call.emit({ kind: "approval-requested", callId: ruling.callId, approvalId: card.approvalId, rule });
  const answer = await askPerson(gate.approvals, {
    card,
    callId: ruling.callId,
    callDigest: callDigest(call.binding),
    channel: parts.channel,
    signal: call.signal,
  });
  const reason = reasonOf(answer);
  recordAnswer(call, card.approvalId, answer, reason);
  call.emit({
    kind: "approval-answered",
    callId: ruling.callId,
    approvalId: card.approvalId,
    isGranted: answer.kind === "granted",
    by: answer.kind === "nobody" ? "nobody" : answer.by,
    reason,
  });
  if (answer.kind === "refused") return { kind: "refused", text: refusalText({ message: answer.message ?? null, wasRemembered: false }) };
  if (answer.kind === "nobody") return { kind: "nobody", text: nobodyText(rule, answer.reason) };
  // Whoever claims it runs it: a second process with the same grant, or a grant that ran out meanwhile, gets nothing.
  const isClaimed = claimApproval(gate.approvals, card.approvalId, { run: parts.runId, rulingDigest: ruling.digest, policyDigest: ruling.policy });
  if (!isClaimed) return { kind: "nobody", text: nobodyText(rule, "the approval was used elsewhere or ran out before it could be used") };
  return { kind: "granted", approvalId: card.approvalId };
}

function reasonOf(answer: ApprovalAnswer): string {
  if (answer.kind === "granted") return answer.scope === "once" ? "once" : "this exact call for the run";
  if (answer.kind === "refused") return answer.message ?? "refused";
  return answer.reason;
}

function recordRequest(call: RuledCall, card: ApprovalCard, rule: string): void {
  const expiresAt = new Date(card.expiresAtMs).toISOString();
  const payload = { kind: "approval-requested", call: call.ruling.callId, ruling: call.ruling.digest, approval: card.approvalId, rule, expiresAt } as const;
  appendAudit(call.gate.parts.audit, { run: call.gate.parts.runId, payload });
}

function recordAnswer(call: RuledCall, approval: string | null, answer: ApprovalAnswer, reason: string): void {
  const who = answer.kind === "nobody" ? { by: null, scope: null } : { by: answer.by, scope: answer.scope };
  const text = redactSecrets(reason.toWellFormed()).slice(0, 1_000).toWellFormed();
  appendAudit(call.gate.parts.audit, {
    run: call.gate.parts.runId,
    payload: { kind: "approval-answered", call: call.ruling.callId, ruling: call.ruling.digest, approval, answer: answer.kind, ...who, reason: text },
  });
}
