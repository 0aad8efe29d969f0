import type { AuditLog } from "../audit/log/log.ts";
import type { AuditPayload } from "../audit/entries/entry.ts";
import { appendAudit, appendAuditWith } from "../audit/log/log.ts";
import type { Clock } from "../base/clock.ts";
import { AgentError } from "../base/errors.ts";
import type { Store } from "../store/store.ts";
import { claimDue, type Claim, type RunClaim } from "./claim.ts";
import type { Job, Tick } from "./job.ts";
import { keepNews, type JobNews } from "./job-news.ts";

/** How a run of a job ended. `isRetryable`: for no reason of its own (the model's provider, the engine); a denial never is. */
export type JobEnd = {
  readonly outcome: string;
  readonly detail: string | null;
  readonly isRetryable: boolean;
  /** What whoever is told of the end is told besides: plain data; null when the run came to nothing that could be told. */
  readonly summary: Readonly<Record<string, unknown>> | null;
};

/** What a schedule is told from outside, so that it knows neither policies nor sandboxes. */
export type JobWorld = {
  /** Starts the run that the claim names, or goes on with it. Never throws for what a run can end with. */
  readonly run: (claim: RunClaim, signal: AbortSignal) => Promise<JobEnd>;
  /** What the job's policy says now; null when it cannot be read, with the reason. */
  readonly policyDigest: (job: Job) => { readonly digest: string } | { readonly digest: null; readonly why: string };
  /** SHA-256 of the file that declares jobs, as it is now; null when it cannot be read. */
  readonly sourceDigest: (source: string) => string | null;
  readonly isStopped: () => boolean;
  /** Shows news where the scheduler runs. Must not throw. */
  readonly tell: (job: Job, news: JobNews) => void;
  /** Sends what lies in the outbox and is due, of dead processes, too. Throws only when the store or the log cannot be written. */
  readonly deliver: () => Promise<void>;
};

export type SchedulerParts = { readonly store: Store; readonly audit: AuditLog; readonly clock: Clock; readonly world: JobWorld };

const MINUTE_MS = 60_000;
const MAX_BACKOFF_MS = 60 * MINUTE_MS;

/** Takes what is due of one job for this process. Null if nothing is, if nothing may start, or if the job is held. */
export function takeDue(parts: SchedulerParts, name: string): Claim | null {
  return parts.world.isStopped() || holdIfChanged(parts, name) ? null : claimDue(parts, name);
}

/**
 * Carries out a claim and records its end. A run that the signal interrupts is over, where a person asked for it; `goesOn` says that it is to go on
 * when the schedule is next at work, because only the machine or the daemon was stopped. Returns the run's end, or `deadline`.
 */
export async function runClaim(parts: SchedulerParts, claim: Claim, signal: AbortSignal, goesOn: boolean): Promise<string> {
  const { audit, clock, world } = parts;
  const { job, tick } = claim;
  const { run, atMs: at, attempt } = tick;
  if (claim.kind === "ended") {
    const { outcome } = claim;
    await endTick(parts, { job, tick, state: "ended", news: { kind: "ended", run, at, outcome, detail: null, nextAtMs: null, summary: null } });
    return outcome;
  }
  appendAudit(audit, { run, payload: tickRecord(tick, claim.kind === "start" ? "started" : "resumed", null) });
  world.tell(job, { kind: "began", run, at, isResumed: claim.kind === "resume" });
  const deadline = job.deadlineMs === null ? null : AbortSignal.timeout(job.deadlineMs);
  const end = await world.run(claim, deadline === null ? signal : AbortSignal.any([signal, deadline]));
  const outcome = deadline?.aborted === true && !signal.aborted && end.outcome === "cancelled" ? "deadline" : end.outcome;
  const mayRetry = end.isRetryable && attempt <= job.retries && !signal.aborted;
  const isLeft = goesOn && signal.aborted && outcome === "cancelled";
  const waitMs = isLeft ? 0 : mayRetry ? Math.min(MINUTE_MS * 2 ** (attempt - 1), MAX_BACKOFF_MS) : null;
  const nextAtMs = waitMs === null ? null : clock.nowMs() + waitMs;
  const { detail, summary } = end;
  const state = waitMs !== null ? "retry" : outcome === "parked" ? "parked" : "ended";
  await endTick(parts, { job, tick, state, news: { kind: "ended", run, at, outcome, detail, nextAtMs, summary } });
  return outcome;
}

type TickEnd = {
  readonly job: Job;
  readonly tick: Tick;
  readonly state: "retry" | "parked" | "ended";
  readonly news: JobNews & { readonly kind: "ended" };
};

/** In the history, in the log and in the outbox, or in none of them: then the next process finds out how the run ended. */
async function endTick({ store, audit, clock, world }: SchedulerParts, { job, tick, state, news }: TickEnd): Promise<void> {
  const { outcome, detail, nextAtMs } = news;
  appendAuditWith(audit, () => {
    store.schedule.endTick(tick, tick.owner ?? "", { state, outcome, detail, nextAtMs, endedAtMs: clock.nowMs() });
    keepNews({ store, clock }, job, news);
    return { run: tick.run, payload: tickRecord(tick, state, outcome) };
  });
  world.tell(job, news);
  await world.deliver();
}

type TickRecord = Extract<AuditPayload, { readonly kind: "schedule-tick" }>;

function tickRecord({ job, atMs, attempt }: Tick, state: TickRecord["state"], outcome: string | null): TickRecord {
  return { kind: "schedule-tick", job, moment: new Date(atMs).toISOString(), attempt, state, outcome };
}

/** Holds a job whose policy, or the file that declares it, says something else than what a person confirmed. True when the job is held, or gone. */
export function holdIfChanged({ store, audit, clock, world }: SchedulerParts, name: string): boolean {
  const job = store.schedule.job(name);
  if (job === null || job.heldBecause !== null) return true;
  const now = world.policyDigest(job);
  const because = changedSource(job, world) ?? changedPolicy(job, now);
  if (because === null) return false;
  const heldBefore = new AgentError("broken-invariant", `The job ${name} is held already, or gone.`);
  try {
    appendAuditWith(audit, () => {
      if (store.schedule.job(name)?.heldBecause !== null) throw heldBefore;
      store.schedule.hold(name, because);
      keepNews({ store, clock }, job, { kind: "held", because });
      return { run: null, payload: { kind: "schedule-job", job: name, change: "held", by: "warder", policy: now.digest, detail: because } };
    });
  } catch (error) {
    // Another process was first, and told of it.
    if (error !== heldBefore) throw error;
    return true;
  }
  world.tell(job, { kind: "held", because });
  return true;
}

function changedSource(job: Job, world: JobWorld): string | null {
  if (job.source === null || world.sourceDigest(job.source) === job.sourceDigest) return null;
  return `${job.source}, which declares it, is gone or says something else than when a person confirmed it`;
}

function changedPolicy(job: Job, now: ReturnType<JobWorld["policyDigest"]>): string | null {
  if (now.digest === job.policyDigest) return null;
  return now.digest === null ? `its policy cannot be read: ${now.why}` : "its policy says something else than when a person confirmed the job";
}
