import { expect, test } from "vitest";
import { policyDiffText } from "../../../src/cli/view/policy/diff.ts";
import { diffPolicies } from "../../../src/policy/comparing/diff-policies.ts";
import { outcomeOf } from "../../../src/policy/comparing/difference.ts";
import { CONTEXT, policyOf, policyText } from "../../policy/bench.ts";

test("what a rule changes in several regions that say the same is said once, and counted as often", () => {
  const limited = (times: number) =>
    policyOf(
      policyText(
        "autonomy: full",
        "workspace: { roots: [{ path: ., access: read-write }] }",
        "sandbox: { runtime: docker, workspace: transactional, env: [], network: { allow: [] } }",
        `commands: { effects: { unknown: allow, undecidable: allow, runs-code: allow, processes: allow }, rules: [{ id: tags, allow: "git tag *", max: ${String(times)} per run, because: b }] }`,
      ),
    );
  const [before, after] = [limited(2), limited(5)];
  const differences = diffPolicies(before, after, CONTEXT, 0);
  const text = policyDiffText({ before, after, outcome: outcomeOf(differences), differences, unconfirmed: [] }, ["a", "b"]);
  expect(differences.length).toBeGreaterThan(1);
  expect(text).toContain(`${String(differences.length)} that may widen`);
  const lines = text.split("\n").filter((line) => line.startsWith("      "));
  expect(new Set(lines).size).toBe(lines.length);
});
