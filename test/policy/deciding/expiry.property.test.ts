import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "../../../src/policy/deciding/evaluate.ts";
import { factsFor, policyOf } from "../bench.ts";
import { policyLines, request, ruleWords, text } from "../random-policies.ts";

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;
const DAYS = ["2027-01-30", "2027-01-31", "2027-02-01", "2027-02-02"] as const;

/** A policy at random that allows something by rules, each of which expires on a day of its own. */
const expiring = fc.tuple(policyLines, ruleWords, fc.array(fc.constantFrom(...DAYS), { minLength: 4, maxLength: 4 })).map(([lines, words, days]) =>
  ["autonomy: supervised", ...lines.filter((line) => !/^(?:autonomy|tools|  only):/u.test(line))].map((line) => {
    let index = 0;
    return line
      .replace(/^ {2}rules: \[/u, `  rules: [{ id: rule-ID9, allow: '${words}', because: reason }, `)
      .replace(/, \]$/u, "]")
      .replaceAll("because: reason", () => `because: reason, expires: ${days[index++] ?? DAYS[0]}`);
  }),
);

test("the passing of time never loosens, unit by unit", () => {
  let stricter = 0;
  fc.assert(
    fc.property(expiring, request, (lines, asked) => {
      const policy = policyOf(text(lines, "a"));
      const decisions = DAYS.map((day) => decide(policy, { tool: "shell", requests: [asked] }, factsFor([asked], { nowMs: Date.parse(`${day}T12:00:00Z`) })));
      for (const [index, later] of decisions.entries()) {
        const earlier = decisions[index - 1];
        if (earlier === undefined) continue;
        expect(STRICTNESS[later.verdict]).toBeGreaterThanOrEqual(STRICTNESS[earlier.verdict]);
        for (const [at, unit] of later.units.entries()) {
          const before = earlier.units[at]?.verdict ?? "deny";
          expect(STRICTNESS[unit.verdict]).toBeGreaterThanOrEqual(STRICTNESS[before]);
          if (unit.verdict !== before) stricter += 1;
        }
      }
    }),
    { numRuns: 3000 },
  );
  expect(stricter).toBeGreaterThan(5);
});
