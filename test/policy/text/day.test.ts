import { expect, test } from "vitest";
import { momentMs } from "../../../src/policy/text/day.ts";
import { microUsd } from "../../../src/policy/text/quantity.ts";

test("a day is asked about at its end, and a moment at itself", () => {
  expect(momentMs("2027-01-31")).toBe(Date.parse("2027-01-31T23:59:59.999Z"));
  expect(momentMs("2027-01-31T22:30:00Z")).toBe(Date.parse("2027-01-31T22:30:00Z"));
});

test.each(["", "2027-02-30", "2027-02-30T22:30:00Z", "2027-01-31T24:00:00Z", "2027-01-31T22:30:00", "2027-01-31T22:30:00+01:00", "2027-01-31 22:30"])(
  "no moment: %j",
  (text) => {
    expect(momentMs(text)).toBeNull();
  },
);

test("an amount of dollars is what its digits say, and what is finer than a millionth is cut off", () => {
  const amounts = [0, 0.000001, 0.0000009, 1e-300, 0.1, 0.29, 1.001, 1.0000019, 4.35, 999_999.999999, 1_000_000];
  expect(amounts.map(microUsd)).toEqual([0, 1, 0, 0, 100_000, 290_000, 1_001_000, 1_000_001, 4_350_000, 999_999_999_999, 1_000_000_000_000]);
});
