import type { RunClaim } from "../../src/schedule/claim.ts";
import type { Job } from "../../src/schedule/job.ts";
import type { JobNews } from "../../src/schedule/job-news.ts";
import type { JobEnd, SchedulerParts } from "../../src/schedule/runner.ts";
import type { Store } from "../../src/store/store.ts";
import { movableClock, temporaryStore, type MovableClock } from "../support/temporary-store.ts";

export const START_MS = Date.UTC(2026, 5, 1);
export const HOUR_MS = 3_600_000;
export const DONE: JobEnd = { outcome: "done", detail: null, isRetryable: false, summary: null };

export function hourlyJob(change: Partial<Job> = {}): Job {
  return {
    name: "nightly",
    cron: "0 * * * *",
    timeZone: "UTC",
    task: "tidy up",
    model: "scripted:none",
    workspace: "/srv/project",
    policy: "unattended",
    policyDigest: "digest",
    catchUp: "once",
    jitterMs: 0,
    retries: 0,
    deadlineMs: null,
    notify: null,
    notifyDigest: null,
    addedBy: "ann",
    addedAtMs: START_MS,
    heldBecause: null,
    source: null,
    sourceDigest: null,
    fromRun: null,
    labels: "[]",
    ...change,
  };
}

/** A scheduler over a real store, whose runs end as `run` says; `policy` is what every job's policy says now. */
export type Scene = {
  readonly parts: SchedulerParts;
  readonly store: Store;
  readonly clock: MovableClock;
  readonly ran: RunClaim[];
  readonly news: JobNews[];
  run: (claim: RunClaim, signal: AbortSignal) => Promise<JobEnd>;
  policy: string;
  /** What every file that declares jobs is now; null when it is gone. */
  source: string | null;
  isStopped: boolean;
};

export function scene(...jobs: readonly Job[]): Scene {
  const here = sceneOn(undefined);
  for (const job of jobs) here.store.schedule.addJob(job);
  return here;
}

/** The same over a state that is there: another connection, as another process has it. */
export function sceneOn(directory: string | undefined): Scene {
  const store = temporaryStore(directory);
  const clock = movableClock(START_MS);
  const here: Omit<Scene, "parts"> = { store, clock, ran: [], news: [], run: async () => DONE, policy: "digest", source: null, isStopped: false };
  const world: SchedulerParts["world"] = {
    run: async (claim, signal) => {
      here.ran.push(claim);
      return await here.run(claim, signal);
    },
    policyDigest: () => ({ digest: here.policy }),
    sourceDigest: () => here.source,
    isStopped: () => here.isStopped,
    tell: (_, news) => void here.news.push(news),
    deliver: async () => undefined,
  };
  return Object.assign(here, { parts: { store, clock, audit: { store, clock }, world } });
}
