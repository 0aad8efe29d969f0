import type { JobRow, TickRow } from "../store/rows/schedule.ts";

/**
 * A task that is run again and again, exactly as a person added it. `policy` is a file or the name of a shipped policy, `policyDigest` what it said
 * when a person last confirmed it: with another one the job is held (`heldBecause`) and does not run. `jitterMs` puts each moment off by less than
 * this; `retries`: how often a run that failed for no reason of its own is tried again; `deadlineMs`: a run that takes longer is
 * interrupted; `notify`: where the end of each run is told, as `file:`, `syslog:` or `command:`, whose program counts as a person confirmed it (`notifyDigest`). `source`, `sourceDigest`: the reviewed file that
 * declares the job, and what it was when a person confirmed it. `fromRun`, `labels`: the run that proposed it, and what its model had been given by then.
 */
export type Job = JobRow;

/**
 * One moment of a job, and what came of it. `atMs`: when it was due, without its jitter. `run`: named before it starts, so that nobody can
 * be in doubt whether it did. `claimed`: a process has it; `retry`: it failed and is due again at `nextAtMs`; `parked`: its run waits for a person.
 */
export type Tick = TickRow;

/** What a name may be: it stands in paths, log lines and commands. */
export const JOB_NAME = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/u;

/** The command that shows a person why a job is held, and releases it. */
export function releaseOf({ name, source }: Job, because: string): string {
  return source !== null && because.startsWith(source) ? `warder schedule sync ${source}` : `warder schedule confirm ${name}`;
}
