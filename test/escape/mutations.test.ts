import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadMutations } from "../../toolbox/escape/mutation.ts";

/** The run that takes them away is long: a text that no longer fits would be seen hours later, or never. */
test("each line that the mutation run takes away is where it says, once", () => {
  const places = loadMutations().flatMap(({ id, file, search, also }) => [{ id, file, search }, ...also.map((one) => ({ id, file, ...one }))]);
  const wrong = places.filter(({ file, search }) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8").split(search).length !== 2);
  expect(wrong).toEqual([]);
  expect(places.length).toBeGreaterThan(100);
});
