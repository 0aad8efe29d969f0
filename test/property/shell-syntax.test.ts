import { describe, expect, it } from "vitest";
import { compareSyntax } from "../../toolbox/fuzz/syntax/campaign.ts";
import { rounds } from "../support/extent.ts";

// On a desk always the same texts, so that a red run is a change's own doing; CI and `npm run fuzz -- syntax` draw others.
const SEED = Number(process.env["FUZZ_SEED"] ?? 20_261_121);

describe("bash, which reads and runs nothing", () => {
  it(`refuses no text that the analysis claims to understand, seed ${String(SEED)}`, async () => {
    const tally = await compareSyntax({ seed: SEED, seconds: 60, texts: rounds(1000, 4000) });
    expect(tally.refused).toEqual([]);
    // Without texts that were claimed, the test would prove nothing.
    expect(tally.claimed).toBeGreaterThan(tally.texts / 5);
  });
});
