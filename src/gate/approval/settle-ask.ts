import { claimApproval, openApproval, rememberedAnswer, voidApproval, type Approval } from "../../approvals/approval.ts";
import type { ApprovalAnswer, ApprovalCard } from "../../approvals/card.ts";
import { awaitAnswer, storeQuestion, tellOf } from "../../approvals/question.ts";
import { appendAudit } from "../../audit/log/log.ts";
import { redactFor } from "../../audit/entries/redact.ts";
import { storedBeginning } from "../../audit/entries/stored-value.ts";
import { newId } from "../../base/ids.ts";
import { reserve, spend } from "../../budgets/budget.ts";
import { grantedFor, useGrants } from "../../approvals/grant.ts";
import { approvalCard, confirmationOf } from "./card.ts";
import { recordMove } from "../budget-record.ts";
import { recordGrant } from "./grant-record.ts";
import { nobodyText, refusalText } from "../ruling/denial-text.ts";
import { coveredBy } from "./grant-coverage.ts";
import { grantsFor } from "./job-call.ts";
import { askedBehind } from "./ask-ahead.ts";
import { recordRuling } from "../ruling/rule-call.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";
import type { GateState } from "../gate-state.ts";
import { callDigest } from "../ruling/ruling.ts";

const BEFORE_ITS_TURN = "answered before the run came to it";

/** How an ask ended. */
export type ApprovalEnd =
  | { readonly kind: "granted"; /** To be claimed and consumed; null for an answer that stands for longer. */ readonly approvalId: string | null }
  | { readonly kind: "refused"; readonly text: string }
  | { readonly kind: "nobody"; readonly text: string }
  | { readonly kind: "asks-spent"; readonly text: string }
  /** The question is stored and waits for a person; the run may be suspended. */
  | { readonly kind: "parked"; readonly approvalId: string };

/**
 * Settles an ask: by an answer that came while the run was suspended, by an earlier answer of this run, by a standing grant, or by asking a
 * person now. Every answer is recorded before it counts. A yes is void if what it was bound to has changed: then the person is asked again.
 */
export async function settleAsk(call: RuledCall): Promise<ApprovalEnd> {
  const { gate, ruling } = call;
  const rule = askingRule(call);
  const open = openApproval(gate.approvals, gate.parts.runId, ruling.callId, ruling.digest);
  if (open !== null && open.card.rulingDigest === ruling.digest) {
    const end = await settleOpen(call, open, rule);
    if (end !== null) return end;
  } else if (open !== null && voidApproval(gate.approvals, open.id)) recordVoid(call, open);
  const before = rememberedAnswer(gate.approvals, gate.parts.runId, ruling.digest, callDigest(call.binding));
  if (before !== null) {
    // The question was this call's own, and was answered while the run was suspended.
    const isOwn = before.callId === ruling.callId;
    recordAnswer(call, before.approvalId, { kind: before.kind, by: before.by, scope: "this-run" }, isOwn ? BEFORE_ITS_TURN : "answered before in this run");
    return before.kind === "granted"
      ? { kind: "granted", approvalId: null }
      : { kind: "refused", text: refusalText({ message: before.message, wasRemembered: !isOwn }) };
  }
  if (hasStandingGrant(call)) return { kind: "granted", approvalId: null };
  if (gate.parts.asking === "deny") return nobody(call, rule, "there is nobody to ask in this run");
  const reservation = reserve(gate.budget, { asks: 1 });
  if (reservation.kind === "spent")
    return { kind: "asks-spent", text: `Not run: rule ${rule} needs a person's approval, and the policy's limit of questions is reached. Nobody was asked.` };
  spend(gate.budget, reservation);
  recordMove(gate.parts.audit, gate.budget, ruling.callId, { asks: 1 });
  return await ask(call, rule, open !== null && open.card.rulingDigest !== ruling.digest ? open : null);
}

/** Whether standing grants cover the whole call under the present policy. A one-time code or second approver that the policy wants is never skipped. */
function hasStandingGrant(call: RuledCall): boolean {
  const { gate } = call;
  const grants = coveredBy(call, grantsFor(call));
  if (grants === null || confirmationOf(call).needsCode) return false;
  const ids = grants.map((grant) => grant.id);
  if (!useGrants(gate.approvals, ids)) return false;
  for (const grant of grants)
    recordAnswer(call, grant.id, { kind: "granted", by: grant.by, scope: "pattern", period: { kind: "forever" } }, `standing grant: ${grant.pattern}`);
  return true;
}

/** What an open question of the same ruling says now. Null: nothing any more, ask anew. */
async function settleOpen(call: RuledCall, open: Approval, rule: string): Promise<ApprovalEnd | null> {
  const { gate } = call;
  if (open.state === "granted") {
    recordAnswer(call, open.id, { kind: "granted", by: open.answeredBy ?? "unknown", scope: "once" }, BEFORE_ITS_TURN);
    recordGrant(gate.parts.audit, gate.approvals, gate.parts.runId, open.id);
    return { kind: "granted", approvalId: open.id };
  }
  if (open.state === "pending") return gate.parts.asking === "wait" ? await awaitPerson(call, open.card, rule) : { kind: "parked", approvalId: open.id };
  // Answered, and not used in time: asked again. Not answered, and nobody is here: nobody's answer.
  return open.answeredBy === null && gate.parts.asking !== "wait" ? nobody(call, rule, "nobody answered before the question ran out") : null;
}

function nobody(call: RuledCall, rule: string, reason: string): ApprovalEnd {
  recordAnswer(call, null, { kind: "nobody", reason }, reason);
  return { kind: "nobody", text: nobodyText(rule, reason) };
}

async function ask(call: RuledCall, rule: string, earlier: Approval | null): Promise<ApprovalEnd> {
  const { gate } = call;
  const own = await approvalCard(call, newId("approval"), earlier);
  const cards = withinLimit(gate, await askedBehind(call)).map(async (ruled) => ({ ruled, bare: await approvalCard(ruled, newId("approval"), null) }));
  const behind = await Promise.all(cards);
  const all = [own, ...behind.map(({ bare }) => bare)];
  const withOthers = (card: ApprovalCard): ApprovalCard => ({ ...card, together: all.filter((other) => other !== card).map(briefly) });
  const card = withOthers(own);
  recordQuestion(call, card);
  for (const { ruled, bare } of behind) {
    recordRuling(ruled);
    recordQuestion(ruled, withOthers(bare));
  }
  if (gate.parts.asking === "wait") return await awaitPerson(call, card, rule);
  for (const each of all) tellOf(withOthers(each), gate.parts.channels, call.signal);
  return { kind: "parked", approvalId: card.approvalId };
}

/** Those that the limit of questions leaves room for; each is counted. */
function withinLimit({ parts, budget }: GateState, behind: readonly RuledCall[]): readonly RuledCall[] {
  const cut = behind.findIndex(({ ruling }) => {
    const reservation = reserve(budget, { asks: 1 });
    if (reservation.kind === "spent") return true;
    spend(budget, reservation);
    recordMove(parts.audit, budget, ruling.callId, { asks: 1 });
    return false;
  });
  return cut === -1 ? behind : behind.slice(0, cut);
}

function briefly({ approvalId, risk, tool, commands, input }: ApprovalCard): ApprovalCard["together"][number] {
  return { approvalId, risk, what: commands.length > 0 ? commands.join("; ") : `${tool} ${input}` };
}

function recordQuestion(call: RuledCall, card: ApprovalCard): void {
  const { gate, ruling } = call;
  const rule = askingRule(call);
  recordRequest(call, card, rule);
  storeQuestion(gate.approvals, { card, callId: ruling.callId, callDigest: callDigest(call.binding), channels: gate.parts.channels });
  call.emit({ kind: "approval-requested", callId: ruling.callId, approvalId: card.approvalId, rule });
}

function askingRule({ ruling }: RuledCall): string {
  return ruling.decision.rules.find((voice) => voice.verdict === "ask")?.id ?? "unknown";
}

async function awaitPerson(call: RuledCall, card: ApprovalCard, rule: string): Promise<ApprovalEnd> {
  const { gate, ruling } = call;
  const answer = await awaitAnswer(gate.approvals, { card, channels: gate.parts.channels, signal: call.signal });
  const reason = answer.kind === "granted" ? grantedFor(gate.approvals, card.approvalId, answer.scope) : reasonOf(answer);
  recordAnswer(call, card.approvalId, answer, reason);
  if (answer.kind === "granted") recordGrant(gate.parts.audit, gate.approvals, gate.parts.runId, card.approvalId);
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
  return { kind: "granted", approvalId: card.approvalId };
}

/** Why a granted approval cannot be used, or null when this caller has claimed it: whoever claims it runs it, and nobody else does. */
export function claimGranted(call: RuledCall, approvalId: string): string | null {
  const { gate, ruling } = call;
  const isClaimed = claimApproval(gate.approvals, approvalId, { run: gate.parts.runId, rulingDigest: ruling.digest, policyDigest: ruling.policy });
  if (isClaimed) return null;
  return nobodyText(askingRule(call), "the approval was used elsewhere or ran out before it could be used");
}

function reasonOf(answer: Exclude<ApprovalAnswer, { kind: "granted" }>): string {
  return answer.kind === "refused" ? (answer.message ?? "refused") : answer.reason;
}

function recordRequest(call: RuledCall, card: ApprovalCard, rule: string): void {
  const expiresAt = new Date(card.expiresAtMs).toISOString();
  const payload = { kind: "approval-requested", call: call.ruling.callId, ruling: call.ruling.digest, approval: card.approvalId, rule, expiresAt } as const;
  appendAudit(call.gate.parts.audit, { run: call.gate.parts.runId, payload });
}

function recordAnswer(call: RuledCall, approval: string | null, answer: ApprovalAnswer, reason: string): void {
  const who = answer.kind === "nobody" ? { by: null, scope: null } : { by: answer.by, scope: answer.scope };
  const text = storedBeginning(reason, redactFor(call.gate.parts.audit));
  appendAudit(call.gate.parts.audit, {
    run: call.gate.parts.runId,
    payload: { kind: "approval-answered", call: call.ruling.callId, ruling: call.ruling.digest, approval, answer: answer.kind, ...who, reason: text },
  });
}

function recordVoid(call: RuledCall, approval: Approval): void {
  const { ruling } = call;
  appendAudit(call.gate.parts.audit, {
    run: call.gate.parts.runId,
    payload: {
      kind: "approval-void",
      call: ruling.callId,
      approval: approval.id,
      was: approval.state,
      bound: approval.card.rulingDigest,
      ruling: ruling.digest,
    },
  });
}
