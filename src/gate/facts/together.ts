type Asked<Fact> = {
  readonly paths: readonly string[];
  readonly resolve: (facts: readonly Fact[]) => void;
  readonly reject: (reason: unknown) => void;
};

/**
 * Asks for what came while an earlier question was under way in one question: calls that run beside each other wait for one answer of the sandbox, not for ten.
 * Nobody gets an answer to a question that was sent before they asked, nor a failure that may be another's: where anything failed, each asks alone.
 */
export function together<Fact extends { readonly error?: string }>(
  ask: (paths: readonly string[]) => Promise<readonly Fact[]>,
): (paths: readonly string[]) => Promise<readonly Fact[]> {
  let waiting: Asked<Fact>[] = [];
  let isAsking = false;
  const askAlone = async ({ paths, resolve, reject }: Asked<Fact>): Promise<void> => {
    try {
      resolve(await ask(paths));
    } catch (error) {
      reject(error);
    }
  };
  const askInOne = async (batch: readonly Asked<Fact>[]): Promise<boolean> => {
    try {
      const facts = await ask(batch.flatMap(({ paths }) => paths));
      if (facts.some(({ error }) => error !== undefined)) return false;
      let at = 0;
      for (const { paths, resolve } of batch) resolve(facts.slice(at, (at += paths.length)));
      return true;
    } catch (error) {
      void error;
      return false;
    }
  };
  const askAll = async (): Promise<void> => {
    isAsking = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const isAnswered = batch.length > 1 && (await askInOne(batch));
      if (!isAnswered) for (const asked of batch) await askAlone(asked);
    }
    isAsking = false;
  };
  return async (paths) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Fact[]>();
    waiting.push({ paths, resolve, reject });
    if (!isAsking) void askAll();
    return await promise;
  };
}
