import { AgentError } from "../base/errors.ts";
import { isOwnerDead } from "../store/lock/process-owner.ts";
import type { ApprovalRow, ApprovalScope, ApprovalState } from "../store/rows/approvals.ts";
import type { Approvals } from "./approvals.ts";
import type { ApprovalAnswer, ApprovalCard } from "./card.ts";
import { addGrant } from "./grant.ts";
import { spendCode } from "./one-time-code.ts";

export type { Approvals } from "./approvals.ts";

/** An approval as it is stored. */
export type Approval = {
  readonly id: string;
  readonly runId: string;
  readonly callId: string;
  readonly state: ApprovalState;
  readonly scope: ApprovalScope | null;
  /** Who said yes so far; enough are `card.needed`. */
  readonly approvers: readonly string[];
  readonly answeredBy: string | null;
  readonly message: string | null;
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
  readonly card: ApprovalCard;
};

export type PersonsAnswer = Exclude<ApprovalAnswer, { kind: "nobody" }>;

/** Of an answer in words. */
const MAX_WORDS = 2_000;

/** How an answer was taken: `gone` when it was answered before, expired, or is unknown. */
export type AnswerReceipt =
  | { readonly kind: "taken"; readonly approval: Approval }
  /** A yes that does not suffice: another person must say it too. */
  | { readonly kind: "counted"; readonly approval: Approval }
  /** The one-time code is missing, wrong or used: nothing was answered. */
  | { readonly kind: "unconfirmed"; readonly reason: string }
  | { readonly kind: "gone"; readonly state: ApprovalState | "unknown" };

/** Stores a question as pending. `callDigest`: of tool, final arguments and directory, without the inputs. */
export function requestApproval(approvals: Approvals, card: ApprovalCard, callId: string, callDigest: string): void {
  approvals.store.exclusively(() => {
    approvals.store.approvals.add({
      id: card.approvalId,
      run: card.runId,
      call: callId,
      workspace: card.workspace,
      tool: card.tool,
      rulingDigest: card.rulingDigest,
      callDigest,
      policyDigest: card.policyDigest,
      risk: card.risk,
      card: JSON.stringify(card),
      state: "pending",
      scope: null,
      needed: card.needed,
      approvers: "[]",
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
 * once only, whatever scope the answer names, so that no high risk is ever remembered. Where several persons must
 * say yes, the same one counts once, and one no is enough. A one-time code that the card wants is checked and used up here, whichever
 * channel the answer came through.
 */
export function answerApproval(approvals: Approvals, id: string, answer: PersonsAnswer): AnswerReceipt {
  return approvals.store.exclusively(() => {
    settleOver(approvals);
    const before = approvals.store.approvals.byId(id);
    if (before === null) return { kind: "gone", state: "unknown" };
    if (before.state !== "pending") return { kind: "gone", state: before.state };
    if (answer.kind === "granted" && cardOf(before).question !== undefined && wordsOf(answer) === null)
      return { kind: "unconfirmed", reason: `it is a question, and wants an answer of 1 to ${String(MAX_WORDS)} characters` };
    if (answer.kind === "granted" && cardOf(before).needsCode) {
      const typed = answer.scope === "pattern" ? undefined : answer.code;
      const verdict = typed === undefined ? { kind: "wrong" as const, reason: "it needs a one-time code" } : spendCode(approvals, typed);
      if (typed === undefined || verdict.kind === "wrong") return { kind: "unconfirmed", reason: verdict.kind === "wrong" ? verdict.reason : "" };
      // Whose code it was is who said it, whatever the channel believes.
      return answerCounted(approvals, before, { ...answer, by: `${typed.person}@code` });
    }
    return answerCounted(approvals, before, answer);
  });
}

/** The answer to a question; null: it is none. */
function wordsOf(answer: PersonsAnswer): string | null {
  const words = answer.kind === "granted" && answer.scope !== "pattern" ? (answer.words ?? "").trim().toWellFormed() : "";
  return words === "" || words.length > MAX_WORDS ? null : words;
}

function answerCounted(approvals: Approvals, before: ApprovalRow, answer: PersonsAnswer): AnswerReceipt {
  const nowMs = approvals.clock.nowMs();
  if (answer.kind === "granted" && before.needed > 1) {
    const approvers = [...new Set([...approversOf(before), answer.by])];
    if (!approvals.store.approvals.approve(before.id, JSON.stringify(approvers), nowMs)) return { kind: "gone", state: before.state };
    if (approvers.length < before.needed) return { kind: "counted", approval: reread(approvals, before) };
    return answerAs(approvals, before, { ...answer, by: approvers.join(" and ") });
  }
  return answerAs(approvals, before, answer);
}

function answerAs(approvals: Approvals, before: ApprovalRow, answer: PersonsAnswer): AnswerReceipt {
  const nowMs = approvals.clock.nowMs();
  const isQuestion = cardOf(before).question !== undefined;
  const isOnce = isQuestion || before.risk === "high" || before.needed > 1 || cardOf(before).needsCode;
  const scope = answer.kind === "granted" && isOnce ? "once" : answer.scope;
  const message = answer.kind === "refused" ? (answer.message ?? null) : isQuestion ? wordsOf(answer) : null;
  const isTaken = approvals.store.approvals.answer({ id: before.id, state: answer.kind, scope, by: answer.by, message, nowMs });
  const approval = reread(approvals, before);
  if (!isTaken) return { kind: "gone", state: approval.state };
  if (answer.kind === "granted" && answer.scope === "pattern" && scope === "pattern") addGrant(approvals, approval, answer);
  return { kind: "taken", approval };
}

function reread(approvals: Approvals, before: ApprovalRow): Approval {
  return approvalOf(approvals.store.approvals.byId(before.id) ?? before);
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

/** What a yes was given for is no longer so: it is never used. True when there was still something to void. */
export function voidApproval(approvals: Approvals, id: string): boolean {
  return approvals.store.exclusively(() =>
    ["pending", "granted", "claimed"].some((from) => approvals.store.approvals.advance(id, from as ApprovalState, "void")),
  );
}

/**
 * Voids what is still open of a run: the questions that nobody answered, and the answers that nothing came of; of a run that is over all of them, else
 * those that `isMoot` names. Gives them as they were.
 */
export function withdrawOpen(approvals: Approvals, run: string, isMoot: (approval: Approval) => boolean = () => true): readonly Approval[] {
  return approvals.store.exclusively(() => {
    const open = (["pending", "granted"] as const).flatMap((state) => approvals.store.approvals.list({ state, run, limit: 1_000 }).map(approvalOf));
    return open.filter((approval) => isMoot(approval) && approvals.store.approvals.advance(approval.id, approval.state, "void"));
  });
}

/**
 * A question of this run that was asked before and is still open for this call: one that waits for the same ruling, or one
 * for the same call that was answered and not used, or ran out. What was bound may have changed since: see `rulingDigest`.
 */
export function openApproval(approvals: Approvals, run: string, call: string, rulingDigest: string): Approval | null {
  return approvals.store.exclusively(() => {
    settleOver(approvals);
    const row = approvals.store.approvals.openFor(run, call, rulingDigest);
    return row === null ? null : approvalOf(row);
  });
}

/** Gives back what a dead process of this run had claimed and not begun. Only for who has taken over the run. */
export function reopenClaimed(approvals: Approvals, run: string): number {
  return approvals.store.exclusively(() => approvals.store.approvals.reopen(run));
}

/** What persons granted last for a tool in a workspace, the newest first. */
export function lastGranted(approvals: Approvals, workspace: string, tool: string): readonly Approval[] {
  return approvals.store.exclusively(() => approvals.store.approvals.lastGranted(workspace, tool).map(approvalOf));
}

/** A claimed approval's call has begun. True once. */
export function consumeApproval(approvals: Approvals, id: string): boolean {
  return approvals.store.exclusively(() => approvals.store.approvals.advance(id, "claimed", "consumed"));
}

/** What a person said of this before, in this run. */
export type RememberedAnswer =
  | { readonly kind: "granted"; readonly approvalId: string; readonly callId: string; readonly by: string }
  | { readonly kind: "refused"; readonly approvalId: string; readonly callId: string; readonly by: string; readonly message: string | null };

/**
 * A refusal holds for the same ruling, and one "for the run" for the same call whatever its inputs became; a
 * grant "for this run" holds for the same ruling only, that is, while nothing it was bound to has changed.
 * A refusal wins over a grant.
 */
export function rememberedAnswer(approvals: Approvals, run: string, rulingDigest: string, callDigest: string): RememberedAnswer | null {
  const rows = approvals.store.approvals.answered(run, rulingDigest, callDigest);
  const refused = rows.find((row) => row.state === "refused" && (row.rulingDigest === rulingDigest || row.scope === "this-run"));
  if (refused) return { kind: "refused", approvalId: refused.id, callId: refused.call, by: refused.answeredBy ?? "unknown", message: refused.message };
  const granted = rows.find((row) => isStandingGrant(row) && row.rulingDigest === rulingDigest);
  return granted ? { kind: "granted", approvalId: granted.id, callId: granted.call, by: granted.answeredBy ?? "unknown" } : null;
}

/** Approvals, the oldest first; those whose time is over show as expired. */
export function listApprovals(
  approvals: Approvals,
  filter: { readonly state?: ApprovalState; readonly run?: string; readonly limit?: number } = {},
): readonly Approval[] {
  return approvals.store.exclusively(() => {
    settleOver(approvals);
    return approvals.store.approvals.list({ limit: 100, ...filter }).map(approvalOf);
  });
}

/** One approval with its whole card, or null. */
export function showApproval(approvals: Approvals, id: string): Approval | null {
  return approvals.store.exclusively(() => {
    settleOver(approvals);
    const row = approvals.store.approvals.byId(id);
    return row === null ? null : approvalOf(row);
  });
}

/** Ends the questions whose time is over, and voids those of a single command whose process died: nothing goes on with it. */
function settleOver({ store, clock }: Approvals): void {
  store.approvals.expire(clock.nowMs());
  const orphans = store.approvals.pendingOfCommands().filter(({ owner }) => owner === null || isOwnerDead(owner));
  for (const { id } of orphans) store.approvals.advance(id, "pending", "void");
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
    approvers: approversOf(row),
    answeredBy: row.answeredBy,
    message: row.message,
    askedAtMs: row.askedAtMs,
    expiresAtMs: row.expiresAtMs,
    card: cardOf(row),
  };
}

function approversOf(row: ApprovalRow): readonly string[] {
  const value: unknown = JSON.parse(row.approvers);
  if (!Array.isArray(value)) throw new AgentError("store-unavailable", `Approval ${row.id} is damaged in the store.`);
  return value.map(String);
}

/** What cards that were stored by an earlier version do not say. */
const UNSAID = { together: [], change: null, sort: "", containment: [], pointless: null, grantExamples: null };

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
  return { ...UNSAID, wantsWord: !("risk" in card) || card.risk === "high", ...card } as unknown as ApprovalCard;
}
