import { newId } from "../base/ids.ts";
import { AgentError } from "../base/errors.ts";
import { GRANT_CLOCK_SLACK_MS, type GrantRow } from "../store/rows/grants.ts";
import type { Approvals } from "./approvals.ts";
import type { ApprovalCard, GrantPattern, GrantPeriod } from "./card.ts";
import { isJobAsItWas } from "./job-grant.ts";

/** A person's lasting answer. It lies in the state directory and nowhere in a workspace. */
export type Grant = GrantPattern & {
  readonly id: string;
  readonly key: string;
  readonly run: string | null;
  /** It holds in each run of this job, as long as that is what it was, and for exactly one call; null for a pattern. */
  readonly job: { readonly name: string; readonly revision: string } | null;
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

/**
 * Stores what an approval that was just granted is to last for. The caller holds the store exclusively. Without a pattern on the card, or the job that it was
 * asked for, nothing is stored, and neither is it for a job that became another one since.
 */
export function addGrant(
  approvals: Approvals,
  approval: { readonly id: string; readonly runId: string; readonly card: ApprovalCard },
  answer: { readonly by: string; readonly period: GrantPeriod },
): void {
  const { grantKey, job } = approval.card;
  const { period } = answer;
  const isForJob = period.kind === "job";
  const grant = isForJob ? exactGrant(approval.card) : approval.card.grant;
  if (grant === null || approval.card.risk === "high") return;
  if (isForJob && (job === undefined || !isJobAsItWas(approvals, job))) return;
  approvals.store.grants.add({
    id: newId("grant"),
    key: grantKey,
    run: period.kind === "run" ? approval.runId : null,
    kind: grant.kind,
    pattern: grant.pattern,
    effects: JSON.stringify(grant.effects),
    place: grant.place,
    job: isForJob ? (job?.name ?? null) : null,
    jobRevision: isForJob ? (job?.revision ?? null) : null,
    exactly: isForJob ? (job?.exactly ?? null) : null,
    approval: approval.id,
    grantedBy: answer.by,
    grantedAtMs: approvals.clock.nowMs(),
    expiresAtMs: period.kind === "days" ? approvals.clock.nowMs() + Math.min(Math.max(period.days, 0), MAX_GRANT_DAYS) * DAY_MS : null,
  });
}

/** The one call of a card: what a person reads of it, and the effects that they were asked about. */
function exactGrant({ job, commands, tool, input, cwd }: ApprovalCard): GrantPattern | null {
  if (job === undefined) return null;
  return { kind: "command", pattern: commands.length > 0 ? commands.join("; ") : `${tool} ${input}`, effects: job.effects, place: cwd };
}

/**
 * The grants that hold now, under this policy and workspace, for this run. `exactly`: the call, for those that a job has for it; null where the run is of no
 * job. Whether one covers a call is decided anew at each use.
 */
export function standingGrants(approvals: Approvals, key: string, run: string, exactly: string | null): readonly Grant[] {
  const nowMs = approvals.clock.nowMs();
  return approvals.store.exclusively(() =>
    approvals.store.grants
      .standing(key, run, { nowMs, exactly })
      .map((row) => grantOf(approvals, row, nowMs))
      .filter(({ state }) => state === "standing"),
  );
}

/** Counts a use of every grant that a call rests on: true when all of them still hold, and none is counted otherwise. */
export function useGrants(approvals: Approvals, ids: readonly string[]): boolean {
  const nowMs = approvals.clock.nowMs();
  return approvals.store.exclusively(() => {
    const isStanding = ids.every((id) => {
      const row = approvals.store.grants.byId(id);
      return row !== null && grantOf(approvals, row, nowMs).state === "standing";
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
  if (grant.job !== null) return `for each run of the job ${grant.job.name}: exactly this`;
  const until = grant.run !== null ? "for the run" : grant.expiresAtMs === null ? "until it is revoked" : `until ${new Date(grant.expiresAtMs).toISOString()}`;
  return `${until}: ${grant.kind === "path" ? "files written: " : ""}${grant.pattern}`;
}

/** All grants that were ever made, the newest first, the revoked and expired ones too. */
export function listGrants(approvals: Approvals): readonly Grant[] {
  const nowMs = approvals.clock.nowMs();
  return approvals.store.exclusively(() => approvals.store.grants.list(1_000).map((row) => grantOf(approvals, row, nowMs)));
}

/** Takes a grant back, at once for every process. False when there is none that stands. */
export function revokeGrant(approvals: Approvals, id: string, by: string): boolean {
  return approvals.store.exclusively(() => approvals.store.grants.revoke(id, by, approvals.clock.nowMs()));
}

function grantOf(approvals: Approvals, row: GrantRow, nowMs: number): Grant {
  const effects: unknown = JSON.parse(row.effects);
  if (!Array.isArray(effects)) throw new AgentError("store-unavailable", `Grant ${row.id} is damaged in the store.`);
  const job = row.job === null ? null : { name: row.job, revision: row.jobRevision ?? "" };
  const isOver = row.expiresAtMs !== null && (row.expiresAtMs <= nowMs || row.grantedAtMs > nowMs + GRANT_CLOCK_SLACK_MS);
  // A job that was changed, or removed and added again, is another one.
  const isExpired = isOver || (job !== null && !isJobAsItWas(approvals, job));
  return {
    id: row.id,
    key: row.key,
    run: row.run,
    job,
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
