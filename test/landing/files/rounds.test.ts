import { describe, expect, test } from "vitest";
import { playRound } from "../../support/change-rounds.ts";
import { engineWorkspace } from "../../support/engine-overlay.ts";
import { overlayWorkspace } from "../../support/overlaid-workspace.ts";
import { runsRootTests } from "../../support/root.ts";

/** `npm run soak -- changes` plays thousands. */
const SEEDS = [
  ...Array.from({ length: 12 }, (_unused, seed) => 9_000 + seed),
  // A link that goes up sixteen times, in a directory that lies deeper: it stays in the workspace, and lands.
  301_518,
  // A part of a directory is thrown away that the run replaced by a file.
  500_583,
];

describe.runIf(runsRootTests).each([
  ["the guardian", overlayWorkspace],
  ["the engine", engineWorkspace],
])("a random set of changes in an overlay that %s mounted", (_name, overlay) => {
  test("lands as a plain copy would have it, or is thrown away, also when it is killed in the middle", async () => {
    const rounds = [];
    for (const seed of SEEDS) rounds.push({ seed, ...(await playRound(seed, 150, overlay)) });
    expect(rounds.flatMap(({ seed, faults }) => faults.map((fault) => `seed ${String(seed)}: ${fault}`))).toEqual([]);
    expect(rounds.some((round) => round.kind === "killed") && rounds.some((round) => round.kind === "discard")).toBe(true);
    expect(rounds.reduce((sum, round) => sum + round.changes, 0)).toBeGreaterThan(50);
  }, 900_000);
});
