import { runDueOf, type SchedulerParts } from "./runner.ts";

export type DaemonOptions = {
  readonly signal: AbortSignal;
  /** How many jobs run at once. */
  readonly parallel: number;
  /** Waits; ends early when the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** How often a daemon looks for what is due. A cron expression has minutes. */
const POLL_MS = 5_000;

/** Runs what is due now, once: what a crontab calls. Gives how many runs ended. */
export async function runDueOnce(parts: SchedulerParts, { signal, parallel }: Pick<DaemonOptions, "signal" | "parallel">): Promise<number> {
  const waiting = parts.store.schedule.jobs().map(({ name }) => name);
  let ended = 0;
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const count = await runDueOf(parts, name, signal);
      ended += count;
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  await parts.world.deliver();
  return ended;
}

/** Runs jobs as they become due, until the signal fires; runs that are still going are then interrupted. Throws whatever else stopped it. */
export async function runDaemon(parts: SchedulerParts, { signal, parallel, sleep }: DaemonOptions): Promise<void> {
  const active = new Map<string, Promise<unknown>>();
  // The store or the log cannot be written: nothing may run, so the daemon ends.
  const faults: unknown[] = [];
  let delivering: Promise<unknown> | null = null;
  while (!signal.aborted && faults.length === 0) {
    delivering ??= parts.world
      .deliver()
      .catch((error: unknown) => void faults.push(error))
      .finally(() => (delivering = null));
    for (const { name } of parts.store.schedule.jobs()) {
      if (active.size >= parallel || active.has(name)) continue;
      const done = runDueOf(parts, name, signal)
        .catch((error: unknown) => void faults.push(error))
        .finally(() => active.delete(name));
      active.set(name, done);
    }
    await sleep(POLL_MS, signal);
  }
  await Promise.all([...active.values(), delivering]);
  const [fault] = faults;
  if (fault instanceof Error) throw fault;
}
