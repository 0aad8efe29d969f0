import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";

/** The clock is looked at so often: it moves on where the machine slept, and where a test moves it. */
const LOOK_MS = 200;

/** Waits by the clock, at most one look too long. False: the signal ended it, at once. */
export async function pause(clock: Pick<Clock, "monotonicMs">, ms: number, signal: AbortSignal): Promise<boolean> {
  const endMs = clock.monotonicMs() + ms;
  try {
    for (let left = ms; left > 0; left = endMs - clock.monotonicMs()) await wait(Math.min(left, LOOK_MS), undefined, { signal });
    return !signal.aborted;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
