import { describe, expect, test } from "vitest";
import { expiryHints } from "../../../src/policy/compiling/expiry-hints.ts";
import { decideCommand, policyOf, policyText } from "../bench.ts";

const rule = (verdict: string, more: string): string => policyText(`commands: { rules: [{ id: one, ${verdict}: 'git tag *', because: Soon.${more} }] }`);
const on = (day: string): number => Date.parse(`${day}T12:00:00Z`);

describe("policy check", () => {
  test.each([
    ["long before", "allow", "2027-01-16", null],
    ["14 days before", "allow", "2027-01-18", "The rule `one` expires after 2027-01-31, in 14 days."],
    ["on the last day", "allow", "2027-01-31", "The rule `one` expires after 2027-01-31, in a day."],
    ["the day after", "allow", "2027-02-01", "The rule `one` expired after 2027-01-31: it no longer speaks."],
    ["a deny that expired", "deny", "2027-02-01", "The rule `one` expired after 2027-01-31: it still speaks, because a deny never ends by itself."],
  ])("warns of rules that expired or soon will: %s", (_when, verdict, day, message) => {
    const hints = expiryHints(policyOf(rule(verdict, ", expires: 2027-01-31, owner: Ada")), on(day));
    expect(hints.map((hint) => hint.message)).toEqual(message === null ? [] : [message]);
    for (const { severity, at, remedy } of hints) {
      expect({ severity, line: at.line }).toEqual({ severity: "warning", line: 3 });
      expect(remedy).toContain("Ada answers for it.");
    }
  });

  test("warns of none without a day", () => {
    expect(expiryHints(policyOf(rule("allow", ", owner: Ada")), on("2099-01-01"))).toEqual([]);
  });
});

test("what is asked after the day names the rule that covered it", () => {
  const text = `autonomy: supervised\nworkspace: { roots: [{ path: '.', access: read-write }] }\n${rule("allow", ", expires: 2027-01-31").split("\n").slice(2).join("\n")}`;
  const { reason } = decideCommand(policyOf(policyText(text)), "git tag v2", { nowMs: on("2027-02-01") });
  expect(reason).toContain("the rule `one`, which covers this command, expired after 2027-01-31");
});

test("a day and an owner are part of what a person confirmed", () => {
  const digests = ["", ", expires: 2027-01-31", ", expires: 2027-02-01", ", owner: Ada"].map((more) => policyOf(rule("allow", more)).digest);
  expect(new Set(digests).size).toBe(4);
});
