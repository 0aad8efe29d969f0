/** Lets one piece of work run at a time, in the order they came. */
export type Lock = <T>(work: () => Promise<T>) => Promise<T>;

export function createLock(): Lock {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    // The next one waits for the end, however it was.
    last = result.then(
      () => null,
      () => null,
    );
    return result;
  };
}
