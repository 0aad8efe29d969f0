/** The protocol's own number for it (`ErrorCode.RequestTimeout`), in both generations. */
export class CallLate extends Error {
  readonly code = -32001;
}

/** The time of one call. */
export type CallTimer = {
  /** Fires when it is over. */
  readonly signal: AbortSignal;
  /** It stands still until what is returned was called, once for each pause. */
  readonly pause: () => () => void;
  /** The fault where it was this that ended the call, and not its caller; null: it was not. */
  readonly fault: (caller: AbortSignal) => CallLate | null;
  readonly end: () => void;
};

export function createTimer(limitMs: number): CallTimer {
  const over = new AbortController();
  let leftMs = limitMs;
  let startedMs = performance.now();
  let pauses = 0;
  let isEnded = false;
  const fire = (): void => {
    over.abort(new CallLate("it did not answer in time"));
  };
  let timer = setTimeout(fire, leftMs);
  const goOn = (): void => {
    pauses -= 1;
    if (pauses > 0 || isEnded || over.signal.aborted) return;
    startedMs = performance.now();
    timer = setTimeout(fire, leftMs);
  };
  return {
    signal: over.signal,
    pause: () => {
      if (pauses === 0) {
        clearTimeout(timer);
        leftMs = Math.max(1, leftMs - (performance.now() - startedMs));
      }
      pauses += 1;
      let isPaused = true;
      return () => {
        if (isPaused) goOn();
        isPaused = false;
      };
    },
    fault: (caller) => (over.signal.aborted && !caller.aborted ? new CallLate("it did not answer in time") : null),
    end: () => {
      isEnded = true;
      clearTimeout(timer);
    },
  };
}
