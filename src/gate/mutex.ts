/** Lets one piece of work run at a time, in the order they came. */
export type Lock = <T>(work: () => Promise<T>) => Promise<T>;

/** The same, with work that may run beside its like: between two pieces that run alone. */
export type SharedLock = { readonly alone: Lock; readonly beside: Lock };

export function createLock(): Lock {
  return createSharedLock().alone;
}

export function createSharedLock(): SharedLock {
  let last: Promise<unknown> = Promise.resolve();
  const shared = new Set<Promise<unknown>>();
  // The next one waits for the end, however it was.
  const endOf = (work: Promise<unknown>): Promise<null> =>
    work.then(
      () => null,
      () => null,
    );
  return {
    alone: (work) => {
      const result = Promise.all([last, ...shared]).then(work);
      last = endOf(result);
      return result;
    },
    beside: (work) => {
      const result = last.then(work);
      const end = endOf(result);
      shared.add(end);
      void end.then(() => shared.delete(end));
      return result;
    },
  };
}
