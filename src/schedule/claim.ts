import { RESUME_TOOL } from "../approvals/card.ts";
import type { Clock } from "../base/clock.ts";
import { newId } from "../base/ids.ts";
import { isOwnerDead, ownerOfThisProcess } from "../store/lock/process-owner.ts";
import type { RunRow } from "../store/rows/runs.ts";
import type { Store } from "../store/store.ts";
import { readCron } from "./cron.ts";
import { GRACE_MS, whatIsDue } from "./due.ts";
import type { Job, Tick } from "./job.ts";

type Claimed = { readonly job: Job; readonly tick: Tick & { readonly run: string } };

/** A run that this process has to start; or to go on with, because its process died or its question was answered: it is never started anew. */
export type RunClaim = Claimed & { readonly kind: "start" | "resume" };

/** What this process has to do for a job now. `ended`: the run ended by hand or in a process that died, and people are still to be told. */
export type Claim = RunClaim | (Claimed & { readonly kind: "ended"; readonly outcome: string });

/** How far a clock may have been ahead for what was dealt with then to count. */
const CLOCK_SLACK_MS = 86_400_000;

export type ClaimParts = { readonly store: Store; readonly clock: Clock };

/**
 * Claims what is due of a job for this process alone, in one transaction. Null if nothing is due, if another process has it, or while an earlier run of
 * the job goes on or waits for a person. Times that are given up are kept as missed.
 */
export function claimDue({ store, clock }: ClaimParts, name: string): Claim | null {
  return store.exclusively(() => {
    const job = store.schedule.job(name);
    if (job === null || job.heldBecause !== null) return null;
    const nowMs = clock.nowMs();
    const [open] = store.schedule.openTicks(name);
    if (open !== undefined) return claimOpen(store, { job, open, nowMs });
    const at = dueMoment(store, job, nowMs);
    return at === null ? null : claimNew(store, { job, at, nowMs });
  });
}

/**
 * Claims a run of a job because a person asks for it, due or not; null while an earlier run goes on. It takes the time that the schedule would catch up
 * on or has only delayed: with a later one, those would count as done. If there is none, it takes the present time.
 */
export function claimNow({ store, clock }: ClaimParts, name: string): RunClaim | null {
  return store.exclusively(() => {
    const job = store.schedule.job(name);
    if (job === null || job.heldBecause !== null || store.schedule.openTicks(name).length > 0) return null;
    const nowMs = clock.nowMs();
    const at = dueMoment(store, { ...job, jitterMs: 0, catchUp: job.catchUp === "skip" ? "once" : job.catchUp }, nowMs);
    return claimNew(store, { job, at: at ?? nowMs, nowMs });
  });
}

/** The moment that a job has to begin for, or null; those that are given up before it are kept as missed. */
function dueMoment(store: Store, job: Job, nowMs: number): number | null {
  const { name, cron, timeZone, catchUp, jitterMs } = job;
  const afterMs = dealtWithUntil(store, job, nowMs);
  const { at, missed } = whatIsDue({ cron: readCron(cron, timeZone), name, catchUp, jitterMs, afterMs, nowMs });
  if (missed !== null) store.schedule.addTick(missedTick(name, missed, nowMs));
  return at;
}

/**
 * The moment up to which a job owes nothing. A clock that went back a little makes nothing due twice. What lies days ahead was dealt with
 * while the clock was wrong: it does not count, or a job would stand still for as long as the clock was ahead.
 */
function dealtWithUntil(store: Store, { name, addedAtMs }: Job, nowMs: number): number {
  const latestMs = nowMs + CLOCK_SLACK_MS;
  const last = store.schedule.lastTick(name, latestMs)?.atMs ?? 0;
  return Math.max(last, addedAtMs <= latestMs ? addedAtMs : nowMs - GRACE_MS);
}

type NewTick = { readonly job: Job; readonly at: number; readonly nowMs: number };

function claimNew(store: Store, { job, at, nowMs }: NewTick): RunClaim | null {
  const tick = { ...missedTick(job.name, at, nowMs), state: "claimed", run: newId("run"), owner: ownerOfThisProcess(), endedAtMs: null } as const;
  return store.schedule.addTick(tick) ? { kind: "start", job, tick } : null;
}

type OpenTick = { readonly job: Job; readonly open: Tick; readonly nowMs: number };

function claimOpen(store: Store, one: OpenTick): Claim | null {
  const { open, nowMs } = one;
  const waitsMs = (open.nextAtMs ?? nowMs) - nowMs;
  if (open.state === "retry" && waitsMs > 0 && waitsMs <= CLOCK_SLACK_MS) return null;
  if (open.state === "claimed" && (open.owner === null || !isOwnerDead(open.owner))) return null;
  // The run was named before it could start: what the store does not know has not begun.
  const known = open.run === null ? null : store.runs.byId(open.run);
  if (known === null) return claimUnbegun(store, one);
  // Ended as its schedule saw it, and not by somebody since.
  const isToGoOn = open.state === "retry" && known.ending === open.outcome;
  if (known.endedAtMs !== null && !isToGoOn) return claimAgain(store, one, { kind: "ended", outcome: known.ending ?? "ended" });
  if (known.parkedAtMs !== null && waitsForAnswer(store, known, { job: one.job, nowMs })) return null;
  // A person goes on with it by hand; when that process dies in the middle, it is taken up here.
  if (known.parkedAtMs === null && known.endedAtMs === null && !isOwnerDead(known.owner)) return null;
  // From its last step, so that nothing is done twice.
  return claimAgain(store, one, { kind: "resume", attempt: nextAttempt(open) });
}

/** A run that was only interrupted has not been tried in vain. */
function nextAttempt({ state, outcome, attempt }: Tick): number {
  return state === "retry" && outcome !== "cancelled" ? attempt + 1 : attempt;
}

/** A run that is in no record: it starts, or what became of it cannot be known. */
function claimUnbegun(store: Store, one: OpenTick): Claim | null {
  const { open } = one;
  if (open.state === "parked") return claimAgain(store, one, { kind: "ended", outcome: "gone" });
  if (open.state === "retry") return claimAgain(store, one, { kind: "start", run: newId("run"), attempt: nextAttempt(open) });
  return claimAgain(store, one, { kind: "start" });
}

function waitsForAnswer(store: Store, { parkedOn, policyDigest }: RunRow, { job, nowMs }: { readonly job: Job; readonly nowMs: number }): boolean {
  const question = parkedOn === null ? null : store.approvals.byId(parkedOn);
  // Nobody needs to say that it goes on under another policy when its policy is what it was.
  if (question?.tool === RESUME_TOOL && policyDigest === job.policyDigest) return false;
  return question?.state === "pending" && question.expiresAtMs > nowMs;
}

type Again = { readonly kind: "start" | "resume"; readonly run?: string; readonly attempt?: number } | { readonly kind: "ended"; readonly outcome: string };

/** Makes an open moment this process's, as it was found and no later. */
function claimAgain(store: Store, { job, open, nowMs }: OpenTick, again: Again): Claim | null {
  const owner = ownerOfThisProcess();
  const { attempt, run } = { attempt: open.attempt, run: open.run ?? newId("run"), ...again };
  if (!store.schedule.reclaim(open, { owner, run, attempt, nowMs })) return null;
  const tick = { ...open, state: "claimed" as const, owner, run, attempt };
  return again.kind === "ended" ? { kind: "ended", job, tick, outcome: again.outcome } : { kind: again.kind, job, tick };
}

function missedTick(job: string, atMs: number, nowMs: number): Tick {
  return { job, atMs, attempt: 1, state: "missed", run: null, owner: null, startedAtMs: nowMs, endedAtMs: nowMs, outcome: null, detail: null, nextAtMs: null };
}
