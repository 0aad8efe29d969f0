import type { Claim } from "./claim.ts";
import { runClaim, takeDue, type SchedulerParts } from "./runner.ts";

export type DaemonOptions = {
  readonly signal: AbortSignal;
  /** How many jobs run at once. */
  readonly parallel: number;
  /** Waits; ends early when the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** How often a daemon looks for what is due. A cron expression has minutes. */
const POLL_MS = 5_000;

/** What runs at the moment: one run for each job, and only what is due takes a place. */
type Places = {
  readonly parts: SchedulerParts;
  readonly signal: AbortSignal;
  readonly parallel: number;
  readonly taken: Map<string, Promise<void>>;
  /** The store or the log cannot be written: nothing may run. */
  readonly faults: unknown[];
  /** Fires when a place is free again. */
  freed: AbortController;
  ended: number;
};

/** Runs what is due now, once: what a crontab calls. Gives how many runs ended. */
export async function runDueOnce(parts: SchedulerParts, options: Pick<DaemonOptions, "signal" | "parallel">): Promise<number> {
  const places = emptyPlaces(parts, options);
  for (fill(places); places.taken.size > 0; fill(places)) await Promise.race(places.taken.values());
  throwFault(places);
  await parts.world.deliver();
  return places.ended;
}

/** Runs jobs as they become due, until the signal fires; runs that are still going are then interrupted. Throws whatever else stopped it. */
export async function runDaemon(parts: SchedulerParts, { signal, parallel, sleep }: DaemonOptions): Promise<void> {
  const places = emptyPlaces(parts, { signal, parallel });
  let delivering: Promise<unknown> | null = null;
  while (!signal.aborted && places.faults.length === 0) {
    delivering ??= parts.world
      .deliver()
      .catch((error: unknown) => void places.faults.push(error))
      .finally(() => (delivering = null));
    places.freed = new AbortController();
    fill(places);
    // Who waited for a place does not wait for the next look as well.
    await sleep(POLL_MS, AbortSignal.any([signal, places.freed.signal]));
  }
  await Promise.all([...places.taken.values(), delivering]);
  throwFault(places);
}

function emptyPlaces(parts: SchedulerParts, { signal, parallel }: Pick<DaemonOptions, "signal" | "parallel">): Places {
  return { parts, signal, parallel, taken: new Map(), faults: [], freed: new AbortController(), ended: 0 };
}

/** Starts what is due while there is a place. The job whose last run began first comes first, so that none keeps another from its turn. */
function fill(places: Places): void {
  const { parts, signal, taken, faults } = places;
  for (const name of parts.store.schedule.namesInTurn()) {
    if (signal.aborted || faults.length > 0 || taken.size >= places.parallel) return;
    if (taken.has(name)) continue;
    const claim = take(places, name);
    if (claim === null) continue;
    const run = runClaim(parts, claim, signal, true)
      .then(() => void (places.ended += claim.kind === "ended" ? 0 : 1))
      .catch((error: unknown) => void faults.push(error))
      .finally(() => {
        taken.delete(name);
        places.freed.abort();
      });
    taken.set(name, run);
  }
}

function take({ parts, faults }: Places, name: string): Claim | null {
  try {
    return takeDue(parts, name);
  } catch (error) {
    faults.push(error);
    return null;
  }
}

function throwFault({ faults: [fault] }: Places): void {
  if (fault instanceof Error) throw fault;
}
