import { describe, expect, it } from "vitest";
import { FRAMES } from "../../toolbox/fuzz/shell/texts/combinations.ts";
import { createRandom } from "../../toolbox/shared/random.ts";
import { generateText } from "../../toolbox/fuzz/shell/texts/scripts.ts";
import { STEPS } from "../../toolbox/fuzz/shell/texts/steps.ts";
import { analyseCase } from "../../toolbox/fuzz/shell/subject.ts";
import { USES } from "../../toolbox/fuzz/shell/texts/uses.ts";
import { standingOf } from "../../toolbox/fuzz/shell/verdict.ts";

const TEXTS = 120_000;
const PATIENCE_MS = 120_000;

describe("the fuzzer's texts", () => {
  it("set something by each feature and use it through each other one, in each place", { timeout: PATIENCE_MS }, () => {
    const noted = new Set<string>();
    for (let index = 0; index < TEXTS; index += 1) generateText(createRandom(index), (feature) => noted.add(feature));
    const pairs = Object.keys(STEPS).flatMap((step) => Object.keys(USES).map((use) => `${step} ${use}`));
    expect([...pairs, ...Object.keys(FRAMES)].filter((feature) => !noted.has(feature))).toEqual([]);
  });

  it("are decided for some spelling of each feature", { timeout: PATIENCE_MS }, () => {
    // A feature that is never decided never runs, so the real shells are not asked about it.
    const decided = new Set<string>();
    for (let index = 0; index < TEXTS / 4; index += 1) {
      const features = new Set<string>();
      const text = generateText(createRandom(index), (feature) => features.add(feature));
      if (features.size > 0 && standingOf(analyseCase(text)) === "static")
        for (const feature of features) for (const part of feature.split(" ")) decided.add(part);
    }
    expect([...Object.keys(STEPS), ...Object.keys(USES), ...Object.keys(FRAMES)].filter((part) => !decided.has(part))).toEqual([]);
  });
});
