import { expect, test } from "vitest";
import { SPENT } from "../../../src/policy/comparing/budget.ts";
import { diffPolicies } from "../../../src/policy/comparing/diff-policies.ts";
import { type Difference, outcomeOf } from "../../../src/policy/comparing/difference.ts";
import { drawCalls, holdPair, newTally } from "../../../toolbox/soak/policy-diff/hold.ts";
import { CONTEXT, policyOf, policyText } from "../bench.ts";

const NOW_MS = Date.UTC(2026, 10, 29);
const STEPS = { proof: 1000, calls: 0 };

const many = (count: number, one: (index: number) => string): string => Array.from({ length: count }, (_, index) => one(index)).join(", ");
const letter = (index: number): string => "abcdefghij".charAt(index % 10);
const hostile = (index: number): string => `*${letter(index)}*${letter(index * 3 + 1)}*${String(index)}*`;
const rules = (words: (index: number) => string, more = ""): string =>
  `commands: { rules: [${many(8, (index) => `{ id: r${String(index)}, ${index % 2 === 0 ? "deny" : "ask"}: 'x ${words(index)}', because: Why.${more} }`)}] }`;

function compare(before: string, after: string, steps = STEPS): readonly Difference[] {
  return diffPolicies(policyOf(policyText("autonomy: full", before)), policyOf(policyText("autonomy: full", after)), { ...CONTEXT, steps }, NOW_MS);
}

test.each<readonly [string, string, string, string]>([
  ["rules of many stars", rules(hostile), rules((index) => hostile(index + 1)), "rule r7"],
  ["rules of many words", rules((index) => `${"* ".repeat(index)}${hostile(index)} **`), rules((index) => `${"* ".repeat(index)}b`), "rule r7"],
  ["rules of long words", rules((index) => `${"*a".repeat(200)}${String(index)}*`), rules((index) => `${"*a".repeat(201)}${String(index)}*`), "rule r7"],
  ["rules of question marks", rules((index) => `*a${"?".repeat(index + 4)}`), rules((index) => `*b${"?".repeat(index + 4)}`), "rule r7"],
  ["tools", `tools: { allow: [${many(12, (index) => `'${hostile(index)}'`)}] }`, `tools: { allow: [${many(12, (index) => `'b${hostile(index)}'`)}] }`, "tools"],
  ["paths", `workspace: { forbidden: [${many(12, (index) => `'**/${"@(a|b|c)".repeat(14)}${hostile(index)}'`)}] }`, "", "forbidden"],
  ["hosts", "", `sandbox: { network: { allow: [${many(20, (index) => `'*.a${String(index)}.example'`)}] } }`, "sandbox.network.allow"],
  ["roots", "", `workspace: { roots: [${many(20, (index) => `{ path: /srv/a${String(index)}, access: read-write }`)}] }`, "workspace.roots"],
  ["effects", "commands: { effects: { writes: deny, sends: deny } }", "", "effects.sends"],
  ["programs", "commands: { only: [ls] }", `commands: { only: [ls, ${many(40, (index) => `a${String(index)}`)}] }`, "program a39"],
])("what a comparison does not get to may widen: %s", (_kind, before, after, part) => {
  const differences = compare(before, after);
  const loosening = differences.filter(({ direction }) => direction !== "tightens");
  expect(loosening.map(({ why }) => why)).toContain(SPENT);
  expect(loosening.some(({ part: { what } }) => what.startsWith(part))).toBe(true);
  expect(outcomeOf(differences)).toBe("may-widen");
  // The same is the same, however few steps there are.
  expect(compare(after, after)).toEqual([]);
});

test("the same steps say the same", () => {
  const [before, after] = [rules(hostile), rules((index) => hostile(index + 1))];
  const said = (): string => JSON.stringify(compare(before, after, { proof: 30_000, calls: 30_000 }));
  expect(said()).toBe(said());
});

test("with few steps nothing that widens is said only to tighten, either", () => {
  const [calls, tally] = [drawCalls(6, 60), newTally()];
  for (let seed = 100; seed < 124; seed += 1) holdPair(seed, calls, tally, { mostRules: 6, steps: { proof: 200 * (seed % 8), calls: 3000 * (seed % 5) } });
  expect(tally.failures).toEqual([]);
  expect(tally.widenings).toBeGreaterThan(10);
});
