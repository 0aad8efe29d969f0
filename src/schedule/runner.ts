import type { AuditLog } from "../audit/audit-log.ts";
import { appendAudit } from "../audit/audit-log.ts";
import type { Clock } from "../base/clock.ts";
import type { Store } from "../store/store.ts";
import { claimDue, type Claim } from "./claim.ts";
import type { Job } from "./job.ts";

/** How a run of a job ended. `isRetryable`: for no reason of its own (the model's provider, the engine); a denial never is. */
export type JobEnd = { readonly outcome: string; readonly detail: string | null; readonly isRetryable: boolean };

/** What a schedule is told from outside, so that it knows neither policies nor sandboxes. */
export type JobWorld = {
  /** Starts the run that the claim names, or goes on with it. Never throws for what a run can end with. */
  readonly run: (claim: Claim, signal: AbortSignal) => Promise<JobEnd>;
  /** What the job's policy says now; null when it cannot be read, with the reason. */
  readonly policyDigest: (job: Job) => { readonly digest: string } | { readonly digest: null; readonly why: string };
  readonly isStopped: () => boolean;
  /** Tells of an end, or of a job that is held. Must not throw. */
  readonly tell: (job: Job, news: JobNews) => void;
};

export type JobNews =
  | { readonly kind: "began"; readonly run: string; readonly at: number; readonly isResumed: boolean }
  | {
      readonly kind: "ended";
      readonly run: string;
      readonly at: number;
      readonly outcome: string;
      readonly detail: string | null;
      readonly nextAtMs: number | null;
    }
  | { readonly kind: "held"; readonly because: string };

export type SchedulerParts = { readonly store: Store; readonly audit: AuditLog; readonly clock: Clock; readonly world: JobWorld };

const MINUTE_MS = 60_000;
const MAX_BACKOFF_MS = 60 * MINUTE_MS;

/** Takes and runs what is due of one job, one moment after the other, until nothing is. Gives how many runs ended. */
export async function runDueOf(parts: SchedulerParts, name: string, signal: AbortSignal): Promise<number> {
  let ended = 0;
  while (!signal.aborted && !parts.world.isStopped() && !holdIfChanged(parts, name)) {
    const claim = claimDue(parts, name);
    if (claim === null) break;
    await runClaim(parts, claim, signal);
    ended += 1;
  }
  return ended;
}

/** Carries out a claim and records its end. */
export async function runClaim(parts: SchedulerParts, claim: Claim, signal: AbortSignal): Promise<void> {
  const { audit, store, clock, world } = parts;
  const { job, tick } = claim;
  const { run, atMs: at, attempt } = tick;
  appendAudit(audit, {
    run,
    payload: {
      kind: "schedule-tick",
      job: job.name,
      at: new Date(at).toISOString(),
      attempt,
      state: claim.kind === "start" ? "started" : "resumed",
      outcome: null,
    },
  });
  world.tell(job, { kind: "began", run, at, isResumed: claim.kind === "resume" });
  const deadline = job.deadlineMs === null ? null : AbortSignal.timeout(job.deadlineMs);
  const end = await world.run(claim, deadline === null ? signal : AbortSignal.any([signal, deadline]));
  const outcome = deadline?.aborted === true && !signal.aborted && end.outcome === "cancelled" ? "deadline" : end.outcome;
  const mayRetry = end.isRetryable && attempt <= job.retries && !signal.aborted;
  const nextAtMs = mayRetry ? clock.nowMs() + Math.min(MINUTE_MS * 2 ** (attempt - 1), MAX_BACKOFF_MS) : null;
  const state = mayRetry ? "retry" : outcome === "parked" ? "parked" : "ended";
  store.exclusively(() => store.schedule.endTick(tick, tick.owner ?? "", { state, outcome, detail: end.detail, endedAtMs: clock.nowMs(), nextAtMs }));
  appendAudit(audit, { run, payload: { kind: "schedule-tick", job: job.name, at: new Date(at).toISOString(), attempt, state, outcome } });
  world.tell(job, { kind: "ended", run, at, outcome, detail: end.detail, nextAtMs });
}

/** Holds a job whose policy says something else than what a person confirmed. True when the job is held, or gone. */
export function holdIfChanged({ store, audit, world }: SchedulerParts, name: string): boolean {
  const job = store.schedule.job(name);
  if (job === null || job.heldBecause !== null) return true;
  const now = world.policyDigest(job);
  if (now.digest === job.policyDigest) return false;
  const because = now.digest === null ? `its policy cannot be read: ${now.why}` : "its policy says something else than when a person confirmed the job";
  const isHeld = store.exclusively(() => {
    if (store.schedule.job(name)?.heldBecause !== null) return false;
    store.schedule.hold(name, because);
    return true;
  });
  if (!isHeld) return true;
  appendAudit(audit, { run: null, payload: { kind: "schedule-job", job: name, change: "held", by: "warder", policy: now.digest, detail: because } });
  world.tell(job, { kind: "held", because });
  return true;
}
