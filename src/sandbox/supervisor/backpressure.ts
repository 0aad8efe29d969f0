/** Stops reading a call's output while its caller has not taken what came before. */
export type Backpressure = {
  /** No more is read until the promise is settled. */
  readonly hold: (taken: Promise<unknown>) => void;
  /** Nobody is waited for any more: the call has ended, was cancelled, or its time is over. */
  readonly release: () => void;
};

/** `holdUp` stops and goes on reading. A caller is waited for at most `limitMs` from now: the supervisor ends the call then, and what it says of it must be heard. */
export function createBackpressure(limitMs: number, holdUp: (isHeld: boolean) => void): Backpressure {
  const startedMs = performance.now();
  let held = 0;
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const release = (): void => {
    isOver = true;
    clearTimeout(timer);
    if (held > 0) holdUp(false);
    held = 0;
  };
  return {
    hold: (taken) => {
      if (isOver) return;
      timer ??= setTimeout(release, Math.max(0, limitMs - (performance.now() - startedMs)));
      held += 1;
      if (held === 1) holdUp(true);
      const goOn = (): void => {
        if (isOver) return;
        held -= 1;
        if (held === 0) holdUp(false);
      };
      void taken.then(goOn, goOn);
    },
    release,
  };
}
