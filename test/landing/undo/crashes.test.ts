import { expect, test } from "vitest";
import { crashProgram, hasCompiler } from "../../support/crash/crash-at.ts";
import { type Ending, playCrash } from "../../support/crash/play.ts";
import { rounds } from "../../support/extent.ts";
import { runsRootTests } from "../../support/root.ts";

/** Every so-many-th of the steps, the same each time. */
function sampleOf(all: number): readonly number[] {
  const count = rounds(6, 60);
  return Array.from({ length: count }, (_, at) => 1 + Math.floor(((at + 0.5) * all) / count));
}

test.runIf(runsRootTests && hasCompiler).each(["land", "undo"] as const)(
  "a %s that is killed before any step that changes a file is ended by the next landing or undo",
  async (killed) => {
    const crash = crashProgram();
    const other: Ending = killed === "land" ? "undo" : "land";
    const { steps, faults } = await playCrash(crash, { killed, step: 0, end: other });
    expect([steps > 60, faults]).toEqual([true, []]);
    for (const [at, step] of sampleOf(steps).entries()) {
      const played = await playCrash(crash, { killed, step, end: at % 2 === 0 ? killed : other });
      expect(played.faults).toEqual([]);
    }
  },
  rounds(900_000, 3_600_000),
);
