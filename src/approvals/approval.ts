import type { Clock } from "../base/clock.ts";
import { AgentError } from "../base/errors.ts";
import type { ApprovalRow, ApprovalState } from "../store/approval-rows.ts";
import type { Store } from "../store/store.ts";
import type { ApprovalAnswer, ApprovalCard } from "./card.ts";

/** Approvals over one store. */
export type Approvals = { readonly store: Store; readonly clock: Clock };

/** An approval as it is stored. */
export type Approval = {
  readonly id: string;
  readonly runId: string;
  readonly callId: string;
  readonly state: ApprovalState;
  readonly scope: "once" | "this-run" | null;
  readonly answeredBy: string | null;
  readonly message: string | null;
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
  readonly card: ApprovalCard;
};

export type PersonsAnswer = Exclude<ApprovalAnswer, { kind: "nobody" }>;

/** How an answer was taken: `gone` when it was answered before, expired, or is unknown. */
export type AnswerReceipt = { readonly kind: "taken"; readonly approval: Approval } | { readonly kind: "gone"; readonly state: ApprovalState | "unknown" };

/** Stores a question as pending. `callDigest`: of tool, final arguments and directory, without the inputs. */
export function requestApproval(approvals: Approvals, card: ApprovalCard, callId: string, callDigest: string): void {
  approvals.store.exclusively(() => {
    approvals.store.approvals.add({
      id: card.approvalId,
      run: card.runId,
      call: callId,
      rulingDigest: card.rulingDigest,
      callDigest,
      policyDigest: card.policyDigest,
      risk: card.risk,
      card: JSON.stringify(card),
      state: "pending",
      scope: null,
      answeredBy: null,
      message: null,
      askedAtMs: approvals.clock.nowMs(),
      expiresAtMs: card.expiresAtMs,
      answeredAtMs: null,
    });
  });
}

/**
 * Takes a person's answer: the first one wins, over all processes and channels. What is high risk is granted
 * once only, whatever scope the answer names, so that no high risk is ever remembered.
 */
export function answerApproval(approvals: Approvals, id: string, answer: PersonsAnswer): AnswerReceipt {
  return approvals.store.exclusively(() => {
    const nowMs = approvals.clock.nowMs();
    approvals.store.approvals.expire(nowMs);
    const before = approvals.store.approvals.byId(id);
    if (before === null) return { kind: "gone", state: "unknown" };
    const scope = answer.kind === "granted" && before.risk === "high" ? "once" : answer.scope;
    const message = answer.kind === "refused" ? (answer.message ?? null) : null;
    const isTaken = approvals.store.approvals.answer({ id, state: answer.kind, scope, by: answer.by, message, nowMs });
    const after = approvals.store.approvals.byId(id);
    if (after === null) return { kind: "gone", state: "unknown" };
    return isTaken ? { kind: "taken", approval: approvalOf(after) } : { kind: "gone", state: after.state };
  });
}

/** Ends a question that nobody answered, and says what stands in the store now: an answer may just have come. */
export function expireApproval(approvals: Approvals, id: string): ApprovalState {
  return approvals.store.exclusively(() => {
    approvals.store.approvals.advance(id, "pending", "expired");
    return approvals.store.approvals.byId(id)?.state ?? "expired";
  });
}

/**
 * Takes a granted approval for exactly one execution: true for one caller only, and only for the run, ruling
 * and policy that the person saw, before it expires.
 */
export function claimApproval(
  approvals: Approvals,
  id: string,
  bound: { readonly run: string; readonly rulingDigest: string; readonly policyDigest: string },
): boolean {
  return approvals.store.exclusively(() => approvals.store.approvals.claim(id, { ...bound, nowMs: approvals.clock.nowMs() }));
}

/** A claimed approval's call has begun. True once. */
export function consumeApproval(approvals: Approvals, id: string): boolean {
  return approvals.store.exclusively(() => approvals.store.approvals.advance(id, "claimed", "consumed"));
}

/** What a person said of this before, in this run. */
export type RememberedAnswer =
  | { readonly kind: "granted"; readonly approvalId: string; readonly by: string }
  | { readonly kind: "refused"; readonly approvalId: string; readonly by: string; readonly message: string | null };

/**
 * A refusal holds for the same ruling, and one "for the run" for the same call whatever its inputs became; a
 * grant "for this run" holds for the same ruling only, that is, while nothing it was bound to has changed.
 * A refusal wins over a grant.
 */
export function rememberedAnswer(approvals: Approvals, run: string, rulingDigest: string, callDigest: string): RememberedAnswer | null {
  const rows = approvals.store.approvals.answered(run, rulingDigest, callDigest);
  const refused = rows.find((row) => row.state === "refused" && (row.rulingDigest === rulingDigest || row.scope === "this-run"));
  if (refused) return { kind: "refused", approvalId: refused.id, by: refused.answeredBy ?? "unknown", message: refused.message };
  const granted = rows.find((row) => isStandingGrant(row) && row.rulingDigest === rulingDigest);
  return granted ? { kind: "granted", approvalId: granted.id, by: granted.answeredBy ?? "unknown" } : null;
}

/** Approvals, the oldest first; those whose time is over show as expired. */
export function listApprovals(
  approvals: Approvals,
  filter: { readonly state?: ApprovalState; readonly run?: string; readonly limit?: number } = {},
): readonly Approval[] {
  return approvals.store.exclusively(() => {
    approvals.store.approvals.expire(approvals.clock.nowMs());
    return approvals.store.approvals.list({ limit: 100, ...filter }).map(approvalOf);
  });
}

/** One approval with its whole card, or null. */
export function showApproval(approvals: Approvals, id: string): Approval | null {
  return approvals.store.exclusively(() => {
    approvals.store.approvals.expire(approvals.clock.nowMs());
    const row = approvals.store.approvals.byId(id);
    return row === null ? null : approvalOf(row);
  });
}

function isStandingGrant(row: ApprovalRow): boolean {
  return row.scope === "this-run" && row.risk !== "high" && (row.state === "granted" || row.state === "claimed" || row.state === "consumed");
}

function approvalOf(row: ApprovalRow): Approval {
  return {
    id: row.id,
    runId: row.run,
    callId: row.call,
    state: row.state,
    scope: row.scope,
    answeredBy: row.answeredBy,
    message: row.message,
    askedAtMs: row.askedAtMs,
    expiresAtMs: row.expiresAtMs,
    card: cardOf(row),
  };
}

// Written by requestApproval; anything else in its place is a damaged store.
function cardOf(row: ApprovalRow): ApprovalCard {
  const card: unknown = JSON.parse(row.card);
  if (
    typeof card !== "object" ||
    card === null ||
    !("approvalId" in card) ||
    card.approvalId !== row.id ||
    !("rulingDigest" in card) ||
    card.rulingDigest !== row.rulingDigest
  ) {
    throw new AgentError("store-unavailable", `Approval ${row.id} is damaged in the store: its card is another one's.`);
  }
  return card as unknown as ApprovalCard;
}
