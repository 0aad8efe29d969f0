import type { Store } from "../store/store.ts";
import { isStopped, type StopQuestion } from "./stop-switch.ts";

const POLL_MS = 250;

/** What a run that the stop switch ended says of its end. */
export const STOPPED = "The stop switch was engaged.";

export type StopWatch = {
  /** Fires when the signal that was given does, or when the stop switch is engaged for what goes on. */
  readonly signal: AbortSignal;
  /** Looks at once: whoever goes on behind what the stop switch may have ended looks before. */
  look(): void;
  /** Ends the watch. */
  end(): void;
};

/** Watches the stop switch for what goes on. `end` it afterwards. */
export function untilStopped(store: Store, signal: AbortSignal, about: StopQuestion): StopWatch {
  const stopped = new AbortController();
  const look = (): void => {
    if (isStopped(store, about)) stopped.abort(STOPPED);
  };
  const timer = setInterval(look, POLL_MS);
  return {
    signal: AbortSignal.any([signal, stopped.signal]),
    look,
    end: () => {
      clearInterval(timer);
    },
  };
}
