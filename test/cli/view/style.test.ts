import { expect, test } from "vitest";
import { counted, formatDuration, usdText } from "../../../src/cli/view/style.ts";

test.each([
  [17.4, "17 ms"],
  [999.6, "1.0 s"],
  [1_400, "1.4 s"],
  [9_990, "10 s"],
  [59_700, "1 min"],
  [185_000, "3 min 5 s"],
  [119_700, "2 min"],
  [3_600_000, "1 h"],
  [5_460_000, "1 h 31 min"],
  [7 * 86_400_000, "7 d"],
  [108_000_000, "1 d 6 h"],
])("%d milliseconds are %s", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

test("one is singular", () => {
  expect([0, 1, 2].map((count) => counted(count, "path"))).toEqual(["0 paths", "1 path", "2 paths"]);
});

test("a part of a cent is shown, nothing is not drawn out", () => {
  expect([0, 0.0123, 1.35].map(usdText)).toEqual(["0.00", "0.0123", "1.35"]);
});
