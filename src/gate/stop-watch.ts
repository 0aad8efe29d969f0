import type { Store } from "../store/store.ts";
import { isStopped } from "./stop-switch.ts";

const POLL_MS = 250;

/** A signal that fires when `signal` does, or when the stop switch is engaged while something runs. `end` it afterwards. */
export function untilStopped(store: Store, signal: AbortSignal): { readonly signal: AbortSignal; end(): void } {
  const stopped = new AbortController();
  const timer = setInterval(() => {
    if (isStopped(store)) stopped.abort();
  }, POLL_MS);
  return {
    signal: AbortSignal.any([signal, stopped.signal]),
    end: () => {
      clearInterval(timer);
    },
  };
}
