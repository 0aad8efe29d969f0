import { claimApproval, consumeApproval, listApprovals, rememberedAnswer, type Approval } from "../../approvals/approval.ts";
import type { ApprovalCard } from "../../approvals/card.ts";
import { storeQuestion } from "../../approvals/question.ts";
import { appendAudit, type AuditEntry } from "../../audit/log/log.ts";
import { canonicalJson } from "../../base/digest.ts";
import { newId } from "../../base/ids.ts";
import { policyAccount } from "../../budgets/accounts.ts";
import { reserve, spend, type Budget } from "../../budgets/budget.ts";
import { confirmationsOf } from "../approval/confirmations.ts";
import { placeOf } from "../approval/place-of-rule.ts";
import { recordMove } from "../budget-record.ts";
import type { Ruling } from "../gate.ts";
import { describeCall } from "../ruling/describe-call.ts";
import { refusalText } from "../ruling/denial-text.ts";
import type { Judgement } from "../ruling/judge.ts";
import type { Binding } from "../ruling/ruling.ts";
import type { ForeignCall, ForeignEnd, ForeignParts } from "./foreign-call.ts";

export type ForeignAsk = {
  readonly call: ForeignCall;
  readonly ruling: Ruling;
  readonly binding: Binding;
  readonly judgement: Judgement;
  readonly budget: Budget;
  readonly callDigest: string;
};

type Settled = Omit<ForeignEnd, "decision">;

/**
 * Settles an ask of another agent's call: by a person's earlier answer to the same call of its session, by the agent's own question, or by a question
 * that waits for a person. Nobody waits here: the agent is told to call again after the answer.
 */
export function settleForeignAsk(parts: ForeignParts, ask: ForeignAsk): Settled {
  const approvals = { store: parts.store, clock: parts.clock };
  const rule = ask.ruling.decision.rules.find((voice) => voice.verdict === "ask")?.id ?? "unknown";
  const before = rememberedAnswer(approvals, parts.runId, ask.ruling.digest, ask.callDigest);
  if (before !== null) {
    record(parts, ask, { approval: before.approvalId, answer: before.kind, by: before.by, scope: "this-run", reason: "answered before in this session" });
    return before.kind === "granted"
      ? { verdict: "allow", text: `Approved by ${before.by}.` }
      : { verdict: "deny", text: refusalText({ message: before.message, wasRemembered: true }) };
  }
  const open = (["granted", "pending"] as const).flatMap((state) => listApprovals(approvals, { state, run: parts.runId, limit: 1_000 }));
  const own = open.find(({ card }) => card.rulingDigest === ask.ruling.digest);
  if (own?.state === "granted" && isUsed(parts, ask, own)) {
    record(parts, ask, { approval: own.id, answer: "granted", by: own.answeredBy, scope: "once", reason: "answered before the agent came to it again" });
    return { verdict: "allow", text: `Approved by ${own.answeredBy ?? "a person"}.` };
  }
  const { needed, needsCode } = confirmationsOf(parts.policy, [], ask.ruling.decision);
  // What wants a one-time code or several persons is no matter for the agent's own question.
  if (ask.call.canAsk && needed === 1 && !needsCode) return { verdict: "ask", text: reasonOf(ask) };
  if (own?.state === "pending") return { verdict: "deny", text: waiting(rule, own.id) };
  const reservation = reserve(ask.budget, { asks: 1 });
  if (reservation.kind === "spent")
    return { verdict: "deny", text: `Not run: rule ${rule} needs a person's approval, and the policy's limit of questions is reached. Nobody was asked.` };
  spend(ask.budget, reservation);
  recordMove(parts.audit, ask.budget, ask.call.callId, { asks: 1 });
  const card = cardOf(parts, ask, { needed, needsCode });
  appendAudit(parts.audit, {
    run: parts.runId,
    payload: {
      kind: "approval-requested",
      call: ask.call.callId,
      ruling: ask.ruling.digest,
      approval: card.approvalId,
      rule,
      expiresAt: new Date(card.expiresAtMs).toISOString(),
    },
  });
  storeQuestion(approvals, { card, callId: ask.call.callId, callDigest: ask.callDigest, channels: [] });
  return { verdict: "deny", text: waiting(rule, card.approvalId) };
}

/** A yes is used once: by whoever claims it. */
function isUsed({ store, clock, runId }: ForeignParts, { ruling }: ForeignAsk, { id }: Approval): boolean {
  const approvals = { store, clock };
  return claimApproval(approvals, id, { run: runId, rulingDigest: ruling.digest, policyDigest: ruling.policy }) && consumeApproval(approvals, id);
}

function waiting(rule: string, approvalId: string): string {
  return `Not run yet: rule ${rule} needs a person's approval. The question is ${approvalId}; a person answers it with: warder approvals show ${approvalId}\nWhen they have said yes, make exactly the same call again. Until then do something else.`;
}

function reasonOf({ ruling: { decision } }: ForeignAsk): string {
  return `Warder: ${decision.reason}`;
}

function record({ audit, runId }: ForeignParts, { call, ruling }: ForeignAsk, answer: Answered): void {
  appendAudit(audit, { run: runId, payload: { kind: "approval-answered", call: call.callId, ruling: ruling.digest, ...answer } });
}

type Answered = Pick<Extract<AuditEntry["payload"], { kind: "approval-answered" }>, "approval" | "answer" | "by" | "scope" | "reason">;

function cardOf(parts: ForeignParts, { call, ruling, judgement }: ForeignAsk, confirmation: Pick<ApprovalCard, "needed" | "needsCode">): ApprovalCard {
  const described = describeCall(judgement.call, judgement.measured);
  return {
    approvalId: newId("approval"),
    runId: parts.runId,
    workspace: parts.setting.workspace,
    tool: ruling.tool,
    input: canonicalJson(call.input),
    commands: described.commands,
    cwd: call.cwd,
    env: {},
    reads: described.reads,
    writes: described.writes,
    hosts: described.hosts,
    inputs: [...judgement.measured.files].map(([path, hash]) => `${path} ${hash ?? "(not there)"}`),
    imageDigest: "none",
    policyDigest: ruling.policy,
    rulingDigest: ruling.digest,
    risk: ruling.decision.risk,
    asked: ruling.decision.rules.filter(({ verdict }) => verdict === "ask").map((voice) => ({ id: voice.id, reason: voice.reason, at: placeOf(voice) })),
    effects: ruling.decision.units.map((unit) => `${unit.verdict}: ${unit.unit.kind}: ${unit.unit.subject}`),
    change: null,
    sort: "",
    containment: ["another agent runs it outside of any sandbox"],
    pointless: null,
    // Nothing holds it back once it runs.
    wantsWord: ruling.decision.risk === "high",
    expiresAtMs: parts.clock.nowMs() + parts.approvalTimeoutMs,
    differs: null,
    together: [],
    ...confirmation,
    grant: null,
    grantExamples: null,
    grantKey: policyAccount(parts.policy, parts.setting.workspace),
  };
}
