import { describe, expect, it } from "vitest";
import { compareSyntax } from "../../scripts/fuzz/syntax-campaign.ts";

const SEED = Number(process.env["FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

describe("bash, which reads and runs nothing", () => {
  it(`refuses no text that the analysis claims to understand, seed ${String(SEED)}`, { timeout: 120_000 }, async () => {
    const tally = await compareSyntax({ seed: SEED, seconds: 60, texts: 4000 });
    expect(tally.refused).toEqual([]);
    // Without texts that were claimed, the test would prove nothing.
    expect(tally.claimed).toBeGreaterThan(tally.texts / 5);
  });
});
