import { expect, test } from "vitest";
import { momentAt, notInForce } from "../../../src/policy/matching/rule-in-force.ts";

const between = { from: 0, to: 1439, zone: "UTC" };

test.each([Number.NaN, Infinity, 1e300])("what is no moment opens nothing: %d", (ms) => {
  expect(notInForce({ verdict: "allow", between }, momentAt(ms))).toBe("speaks 00:00-23:59 UTC alone");
  expect(notInForce({ verdict: "deny", between }, momentAt(ms))).toBeNull();
  expect(notInForce({ verdict: "ask", between }, momentAt(ms))).toBeNull();
});
