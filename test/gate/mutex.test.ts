import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createSharedLock } from "../../src/gate/mutex.ts";

const tick = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test("work that may runs beside its like, never beside work that runs alone, and a fault of one ends no other", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ isShared: fc.boolean(), ticks: fc.nat(3), fails: fc.boolean() }), { minLength: 2, maxLength: 12 }), async (all) => {
      const lock = createSharedLock();
      let shared = 0;
      let alone = 0;
      let most = 0;
      const work = (isShared: boolean, ticks: number, fails: boolean) => async (): Promise<void> => {
        if (isShared) shared += 1;
        else alone += 1;
        most = Math.max(most, alone > 1 || (alone === 1 && shared > 0) ? 99 : shared);
        for (let count = 0; count < ticks; count += 1) await tick();
        if (isShared) shared -= 1;
        else alone -= 1;
        if (fails) throw new Error("failed");
      };
      const ends = await Promise.allSettled(all.map(({ isShared, ticks, fails }) => (isShared ? lock.beside : lock.alone)(work(isShared, ticks, fails))));
      expect(ends.map(({ status }) => status === "rejected")).toEqual(all.map(({ fails }) => fails));
      expect(most).toBeLessThan(99);
    }),
    { numRuns: 200 },
  );
});
