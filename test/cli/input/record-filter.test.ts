import { expect, test } from "vitest";
import { readMoment, readSelection } from "../../../src/cli/input/record-filter.ts";

const NOW = Date.parse("2026-11-22T10:00:00Z");

test.each([
  ["2h", "2026-11-22T08:00:00.000Z"],
  ["2026-01-31", "2026-01-31T00:00:00.000Z"],
  ["2026-01-31T23:30:00-02:00", "2026-02-01T01:30:00.000Z"],
  ["2028-02-29", "2028-02-29T00:00:00.000Z"],
])("%s is a moment", (text, moment) => {
  expect(new Date(readMoment("--since", text, NOW)).toISOString()).toBe(moment);
});

test.each(["999999999d", "3651d", "2026-02-31", "2026-13-01", "2026-02-29T00:00:00Z", "yesterday", ""])("%j is none", (text) => {
  expect(() => readMoment("--since", text, NOW)).toThrow("--since takes a moment");
});

test("a time that ends before it begins is a mistake, and no empty log", () => {
  expect(() => readSelection({ since: "2h", until: "3h" }, NOW)).toThrow("--since 2026-11-22T08:00:00.000Z is later than --until 2026-11-22T07:00:00.000Z");
  expect(readSelection({ since: "3h", until: "2h" }, NOW)).toEqual({ since: "2026-11-22T07:00:00.000Z", until: "2026-11-22T08:00:00.000Z" });
});
