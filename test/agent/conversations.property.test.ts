import * as fc from "fast-check";
import { expect, test } from "vitest";
import { conversations, faultsOf } from "../support/conversations.ts";
import { rounds } from "../support/extent.ts";

test(
  "as many results as calls, in their order, nothing between: for every strategy, over failures, aborts, denials, steering, crashes, parks and resumed runs",
  { timeout: rounds(900_000, 1_800_000) },
  async () => {
    const numRuns = rounds(400, 20_000);
    let played = 0;
    await fc.assert(
      fc.asyncProperty(conversations, async (conversation) => {
        played += 1;
        expect(await faultsOf(conversation)).toEqual([]);
      }),
      { numRuns },
    );
    expect(played).toBe(numRuns);
  },
);
