import type { Store } from "../store/store.ts";
import { isStopped, type StopQuestion } from "./stop-switch.ts";

const POLL_MS = 250;

/** What a run that the stop switch ended says of its end. */
export const STOPPED = "The stop switch was engaged.";

/** A signal that fires when `signal` does, or when the stop switch is engaged for what goes on. `end` it afterwards. */
export function untilStopped(store: Store, signal: AbortSignal, about: StopQuestion): { readonly signal: AbortSignal; end(): void } {
  const stopped = new AbortController();
  const timer = setInterval(() => {
    if (isStopped(store, about)) stopped.abort(STOPPED);
  }, POLL_MS);
  return {
    signal: AbortSignal.any([signal, stopped.signal]),
    end: () => {
      clearInterval(timer);
    },
  };
}
