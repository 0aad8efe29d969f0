import { describe, expect, test } from "vitest";
import { rounds } from "../../support/extent.ts";
import { type Pair, playPair } from "../../support/pairs/play.ts";
import { runsRootTests } from "../../support/root.ts";

/** `npm run soak -- pairs` plays hundreds. */
const SEEDS = [4, 11, 13, ...Array.from({ length: rounds(5, 60) }, (_unused, seed) => 1_000 + seed)];

describe.runIf(runsRootTests)("what a run does with git, and what a person does with it meanwhile", () => {
  test("land as the review said, or nothing moves; a branch can be made, and no commit is lost", async () => {
    const pairs: Pair[] = [];
    for (const seed of SEEDS) pairs.push(await playPair(seed));
    expect(
      pairs.flatMap(({ seed, run, host, faults }) => faults.map((fault) => `seed ${String(seed)} (${run.join(", ")} × ${host.join(", ")}): ${fault}`)),
    ).toEqual([]);
    expect(new Set(pairs.map(({ outcome }) => outcome)).size).toBeGreaterThan(1);
  }, 900_000);
});
