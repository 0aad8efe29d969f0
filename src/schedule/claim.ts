import type { Clock } from "../base/clock.ts";
import { newId } from "../base/ids.ts";
import { isOwnerDead, ownerOfThisProcess } from "../store/process-owner.ts";
import type { Store } from "../store/store.ts";
import { readCron } from "./cron.ts";
import { whatIsDue } from "./due.ts";
import type { Job, Tick } from "./job.ts";

/** What this process has to do for a job now. */
export type Claim =
  | { readonly kind: "start"; readonly job: Job; readonly tick: Tick & { readonly run: string } }
  /** Its process died: the run goes on where it stood, and is never started anew. */
  | { readonly kind: "resume"; readonly job: Job; readonly tick: Tick & { readonly run: string } };

export type ClaimParts = { readonly store: Store; readonly clock: Clock };

/**
 * Takes what is due of a job, for this process alone: all of it is one transaction. Null when nothing is, when another process has it, and while
 * an earlier run of the job goes on or waits for a person. Moments that are given up are kept as missed.
 */
export function claimDue({ store, clock }: ClaimParts, name: string): Claim | null {
  return store.exclusively(() => {
    const job = store.schedule.job(name);
    if (job === null || job.heldBecause !== null) return null;
    const nowMs = clock.nowMs();
    const [open] = store.schedule.openTicks(name);
    if (open !== undefined) return claimOpen(store, { job, open, nowMs });
    const last = store.schedule.lastTick(name);
    const { cron, timeZone, catchUp, jitterMs } = job;
    const afterMs = Math.max(job.addedAtMs, last?.atMs ?? 0);
    const { at, missed } = whatIsDue({ cron: readCron(cron, timeZone), name, catchUp, jitterMs, afterMs, nowMs });
    if (missed !== null) store.schedule.addTick(missedTick(name, missed, nowMs));
    return at === null ? null : claimNew(store, { job, at, nowMs });
  });
}

/** Takes the present moment for a job, because a person asks for it, due or not; null while an earlier run goes on. */
export function claimNow({ store, clock }: ClaimParts, name: string): Claim | null {
  return store.exclusively(() => {
    const job = store.schedule.job(name);
    if (job === null || job.heldBecause !== null || store.schedule.openTicks(name).length > 0) return null;
    return claimNew(store, { job, at: clock.nowMs(), nowMs: clock.nowMs() });
  });
}

type NewTick = { readonly job: Job; readonly at: number; readonly nowMs: number };

function claimNew(store: Store, { job, at, nowMs }: NewTick): Claim | null {
  const tick = { ...missedTick(job.name, at, nowMs), state: "claimed", run: newId("run"), owner: ownerOfThisProcess(), endedAtMs: null } as const;
  return store.schedule.addTick(tick) ? { kind: "start", job, tick } : null;
}

type OpenTick = { readonly job: Job; readonly open: Tick; readonly nowMs: number };

function claimOpen(store: Store, { job, open, nowMs }: OpenTick): Claim | null {
  const owner = ownerOfThisProcess();
  if (open.state === "parked") return claimParked(store, { job, open, nowMs }, owner);
  if (open.state === "retry") return claimRetry(store, { job, open, nowMs }, owner);
  if (open.run === null || open.owner === null || !isOwnerDead(open.owner)) return null;
  // The run was named before it could start: what the store does not know has not begun.
  const known = store.runs.byId(open.run);
  if (known !== null && known.endedAtMs !== null) {
    store.schedule.settle(open, known.ending ?? "ended", nowMs);
    return null;
  }
  if (known !== null && known.parkedAtMs !== null) return claimParked(store, { job, open, nowMs }, owner);
  // A person went on with it by hand.
  if (known !== null && !isOwnerDead(known.owner)) return null;
  const kind = known === null ? "start" : "resume";
  const { run, attempt } = open;
  return store.schedule.reclaim(open, { owner, run, attempt, nowMs }) ? { kind, job, tick: { ...open, owner, run } } : null;
}

/** A run that failed goes on from its last step, so that nothing is done twice; where nothing had begun, it begins. */
function claimRetry(store: Store, { job, open, nowMs }: OpenTick, owner: string): Claim | null {
  if ((open.nextAtMs ?? 0) > nowMs) return null;
  const known = open.run === null ? null : store.runs.byId(open.run);
  if (known !== null && known.ending !== "failed") return claimParked(store, { job, open, nowMs }, owner);
  const run = known?.id ?? newId("run");
  const attempt = open.attempt + 1;
  const kind = known === null ? "start" : "resume";
  return store.schedule.reclaim(open, { owner, run, attempt, nowMs }) ? { kind, job, tick: { ...open, state: "claimed", owner, run, attempt } } : null;
}

/** A run that waited goes on when its question was answered or ran out, and for as long as it waits no other of the job begins. */
function claimParked(store: Store, { job, open, nowMs }: OpenTick, owner: string): Claim | null {
  const run = open.run === null ? null : store.runs.byId(open.run);
  if (run === null || run.endedAtMs !== null) {
    store.schedule.settle(open, run?.ending ?? "gone", nowMs);
    return null;
  }
  // A person went on with it by hand; when that process died in the middle, it is taken up here.
  if (run.parkedAtMs === null && !isOwnerDead(run.owner)) return null;
  const question = run.parkedOn === null ? null : store.approvals.byId(run.parkedOn);
  if (question?.state === "pending" && question.expiresAtMs > nowMs) return null;
  const { attempt } = open;
  return store.schedule.reclaim(open, { owner, run: run.id, attempt, nowMs })
    ? { kind: "resume", job, tick: { ...open, state: "claimed", owner, run: run.id } }
    : null;
}

function missedTick(job: string, atMs: number, nowMs: number): Tick {
  return { job, atMs, attempt: 1, state: "missed", run: null, owner: null, startedAtMs: nowMs, endedAtMs: nowMs, outcome: null, detail: null, nextAtMs: null };
}
