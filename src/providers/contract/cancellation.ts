export const CANCELLED = Symbol("cancelled");

/** The promise's value, or {@link CANCELLED} as soon as the signal aborts, whatever the promise does then. */
export function orCancelled<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T | typeof CANCELLED> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(CANCELLED);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    promise.then(
      (value) => {
        signal.removeEventListener("abort", onAbort);
        resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener("abort", onAbort);
        reject(error);
      },
    );
  });
}

/** Resolves after `milliseconds`, or at once with {@link CANCELLED} when the signal aborts. */
export function waitFor(milliseconds: number, signal: AbortSignal): Promise<void | typeof CANCELLED> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  return orCancelled(elapsed, signal).finally(() => clearTimeout(timer));
}
