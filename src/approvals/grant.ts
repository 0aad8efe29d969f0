import { newId } from "../base/ids.ts";
import { AgentError } from "../base/errors.ts";
import { GRANT_CLOCK_SLACK_MS, type GrantRow } from "../store/rows/grants.ts";
import type { Approvals } from "./approvals.ts";
import type { ApprovalCard, GrantPattern, GrantPeriod } from "./card.ts";

/** A person's lasting answer. It lies in the state directory and nowhere in a workspace. */
export type Grant = GrantPattern & {
  readonly id: string;
  readonly key: string;
  readonly run: string | null;
  readonly approvalId: string;
  readonly by: string;
  readonly atMs: number;
  readonly expiresAtMs: number | null;
  readonly uses: number;
  readonly usedAtMs: number | null;
  readonly revokedBy: string | null;
  readonly state: "standing" | "expired" | "revoked";
};

/** The longest that a grant may last when it is to end by itself. */
export const MAX_GRANT_DAYS = 365;
const DAY_MS = 86_400_000;

/** Stores the pattern of an approval that was just granted. The caller holds the store exclusively. Without a pattern on the card nothing is stored. */
export function addGrant(
  approvals: Approvals,
  approval: { readonly id: string; readonly runId: string; readonly card: ApprovalCard },
  answer: { readonly by: string; readonly period: GrantPeriod },
): void {
  const { grant, grantKey } = approval.card;
  if (grant === null || approval.card.risk === "high") return;
  const { period } = answer;
  approvals.store.grants.add({
    id: newId("grant"),
    key: grantKey,
    run: period.kind === "run" ? approval.runId : null,
    kind: grant.kind,
    pattern: grant.pattern,
    effects: JSON.stringify(grant.effects),
    place: grant.place,
    approval: approval.id,
    grantedBy: answer.by,
    grantedAtMs: approvals.clock.nowMs(),
    expiresAtMs: period.kind === "days" ? approvals.clock.nowMs() + Math.min(Math.max(period.days, 0), MAX_GRANT_DAYS) * DAY_MS : null,
  });
}

/** The grants that hold now, under this policy and workspace, for this run. Whether one covers a call is decided anew at each use. */
export function standingGrants(approvals: Approvals, key: string, run: string): readonly Grant[] {
  const nowMs = approvals.clock.nowMs();
  return approvals.store.exclusively(() => approvals.store.grants.standing(key, run, nowMs).map((row) => grantOf(row, nowMs)));
}

/** Counts a use of every grant that a call rests on: true when all of them still hold, and none is counted otherwise. */
export function useGrants(approvals: Approvals, ids: readonly string[]): boolean {
  const nowMs = approvals.clock.nowMs();
  return approvals.store.exclusively(() => {
    const isStanding = ids.every((id) => {
      const row = approvals.store.grants.byId(id);
      return row !== null && grantOf(row, nowMs).state === "standing";
    });
    return isStanding && ids.every((id) => approvals.store.grants.use(id, nowMs));
  });
}

/** The grant that came of an approval, or null. */
export function grantOfApproval(approvals: Approvals, approvalId: string): Grant | null {
  return listGrants(approvals).find((grant) => grant.approvalId === approvalId) ?? null;
}

/** What a yes was for, in a few words: `once`, `for the run: git commit -m *`. */
export function grantedFor(approvals: Approvals, approvalId: string, scope: "once" | "this-run" | "pattern"): string {
  const grant = grantOfApproval(approvals, approvalId);
  if (grant === null) return scope === "this-run" ? "for the run: exactly this" : "once";
  const until = grant.run !== null ? "for the run" : grant.expiresAtMs === null ? "until it is revoked" : `until ${new Date(grant.expiresAtMs).toISOString()}`;
  return `${until}: ${grant.kind === "path" ? "files written: " : ""}${grant.pattern}`;
}

/** All grants that were ever made, the newest first, the revoked and expired ones too. */
export function listGrants(approvals: Approvals): readonly Grant[] {
  const nowMs = approvals.clock.nowMs();
  return approvals.store.exclusively(() => approvals.store.grants.list(1_000).map((row) => grantOf(row, nowMs)));
}

/** Takes a grant back, at once for every process. False when there is none that stands. */
export function revokeGrant(approvals: Approvals, id: string, by: string): boolean {
  return approvals.store.exclusively(() => approvals.store.grants.revoke(id, by, approvals.clock.nowMs()));
}

function grantOf(row: GrantRow, nowMs: number): Grant {
  const effects: unknown = JSON.parse(row.effects);
  if (!Array.isArray(effects)) throw new AgentError("store-unavailable", `Grant ${row.id} is damaged in the store.`);
  const isExpired = row.expiresAtMs !== null && (row.expiresAtMs <= nowMs || row.grantedAtMs > nowMs + GRANT_CLOCK_SLACK_MS);
  return {
    id: row.id,
    key: row.key,
    run: row.run,
    kind: row.kind,
    pattern: row.pattern,
    effects: effects.map(String),
    place: row.place,
    approvalId: row.approval,
    by: row.grantedBy,
    atMs: row.grantedAtMs,
    expiresAtMs: row.expiresAtMs,
    uses: row.uses,
    usedAtMs: row.usedAtMs,
    revokedBy: row.revokedBy,
    state: row.revokedAtMs !== null ? "revoked" : isExpired ? "expired" : "standing",
  };
}
