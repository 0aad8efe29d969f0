import { describe, expect, test } from "vitest";
import { policyDifference, policyLines } from "../../../src/app/policy/difference.ts";
import { canonicalJson } from "../../../src/base/digest.ts";
import { policyOf } from "../../policy/bench.ts";

const LIMITS = "limits: { actions: { max: 50, per: 1h }, cost: { max-usd: 2.5, per: 1d }, schedule: { minutes: { max: 90, per: 36h } } }";
const NETWORK = "sandbox: { network: { allow: [{ host: api.example.org, methods: [GET], paths: ['/v1/**'] }] } }";

/** What a person is shown between two texts of one policy, of which the first was kept as the database keeps it. */
function shown(before: string, now: string): readonly string[] {
  return policyDifference(canonicalJson(policyLines(policyOf(before))), policyOf(now));
}

const text = (...lines: readonly string[]): string => ["version: 1", "name: nightly", ...lines].join("\n");

describe("the difference between two texts of a policy", () => {
  test("is what differs and nothing else", () => {
    expect(shown(text(LIMITS, NETWORK), text(LIMITS.replace("50", "40"), NETWORK))).toEqual([
      "- policy: limits.actions: { max: 50, per: 1h }",
      "+ policy: limits.actions: { max: 40, per: 1h }",
    ]);
  });

  test("says amounts as a policy writes them", () => {
    expect(shown(text(), text(LIMITS))).toEqual([
      "+ policy: limits.actions: { max: 50, per: 1h }",
      "+ policy: limits.cost: { max-usd: 2.5, per: 1d }",
      "+ policy: limits.schedule.minutes: { max: 90, per: 36h }",
    ]);
  });

  test("is not told of what an earlier version kept", () => {
    expect(policyDifference("{}", policyOf(text()))).toEqual(["~ what the policy said before was not kept"]);
  });
});
