import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Decision } from "../../../src/policy/decision.ts";
import { decide } from "../../../src/policy/deciding/evaluate.ts";
import { decideNarrowed, isHeldBy, readOnly, withTools } from "../../../src/policy/deciding/narrowing.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import type { Request } from "../../../src/policy/request.ts";
import { commandRequest, factsFor, policyOf, policyText, simpleCommand } from "../bench.ts";
import { policyLines, request, text } from "../random-policies.ts";

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;
const tools = fc.constantFrom("shell", "write_file", "agent", "agent_crew");
const facts = (requests: readonly Request[]) => factsFor(requests, { containment: "profile" });
const strictness = ({ verdict }: Pick<Decision, "verdict">): number => STRICTNESS[verdict];

test("a sub-agent is never judged looser than its parent, nor than any policy of its own, unit by unit", () => {
  let stricter = 0;
  fc.assert(
    fc.property(
      policyLines,
      fc.array(policyLines, { minLength: 1, maxLength: 3 }),
      fc.array(request, { maxLength: 3 }),
      tools,
      (parentLines, own, requests, tool) => {
        const parent = policyOf(text(parentLines, "p"));
        const beside = own.map((lines, index) => policyOf(text(lines, `c${String(index)}`)));
        const call = { tool, requests };
        const { decision, narrowing } = decideNarrowed(parent, beside, call, facts(requests));
        const alone = [parent, ...beside].map((policy) => decide(policy, call, facts(requests)));
        for (const each of alone) {
          expect(strictness(decision)).toBeGreaterThanOrEqual(strictness(each));
          expect(decision.units).toHaveLength(each.units.length);
          for (const [index, unit] of decision.units.entries()) expect(strictness(unit)).toBeGreaterThanOrEqual(strictness(each.units[index] ?? unit));
        }
        for (const each of alone.slice(1)) expect(STRICTNESS[narrowing]).toBeGreaterThanOrEqual(strictness(each));
        expect(decision.rules[0]?.verdict).toBe(decision.verdict);
        expect(decision.verdict).toBe(decision.units.reduce((most, unit) => (strictness(unit) > strictness(most) ? unit : most)).verdict);
        if (strictness(decision) > strictness(alone[0] as Decision)) stricter += 1;
      },
    ),
    { numRuns: 800 },
  );
  // Were the policies of its own no part of it, the loop above would hold all the same for the parent.
  expect(stricter).toBeGreaterThan(50);
});

test("of a sub-agent of a sub-agent the same holds for each run above it", () => {
  fc.assert(
    fc.property(policyLines, policyLines, policyLines, request, (first, second, third, wanted) => {
      const [parent, child, grandchild] = [policyOf(text(first, "p")), policyOf(text(second, "c")), policyOf(text(third, "g"))];
      const call = { tool: "shell", requests: [wanted] };
      const ofChild = decideNarrowed(parent, [child], call, facts([wanted])).decision;
      const ofGrandchild = decideNarrowed(parent, [child, grandchild], call, facts([wanted])).decision;
      expect(strictness(ofGrandchild)).toBeGreaterThanOrEqual(strictness(ofChild));
    }),
    { numRuns: 500 },
  );
});

test("one that reads alone changes nothing, whatever the policy allows", () => {
  const CHANGES = new Set([
    "writes",
    "deletes",
    "history",
    "sends",
    "remembers",
    "schedules",
    "invokes",
    "runs-code",
    "publishes",
    "remote",
    "processes",
    "persists",
    "privilege",
    "system",
    "unknown",
    "undecidable",
  ]);
  let changes = 0;
  fc.assert(
    fc.property(policyLines, fc.array(request, { minLength: 1, maxLength: 3 }), (lines, requests) => {
      const policy = policyOf(text(lines, "p"));
      const { decision } = decideNarrowed(policy, [readOnly(policy)], { tool: "shell", requests }, facts(requests));
      for (const { unit, verdict } of decision.units) {
        if (!CHANGES.has(unit.kind)) continue;
        changes += 1;
        expect([unit.kind, verdict]).toEqual([unit.kind, "deny"]);
      }
    }),
    { numRuns: 1_000 },
  );
  expect(changes).toBeGreaterThan(500);
});

const SEALED = [
  "autonomy: full",
  "workspace: { roots: [{ path: '.', access: read-write }] }",
  "commands: { effects: { unknown: allow, undecidable: allow, runs-code: allow } }",
];
const sandbox = (more: string): readonly string[] => [`sandbox: { workspace: transactional, env: []${more} }`];
const own = (...lines: readonly string[]): Policy => policyOf(policyText(...lines));

test.each([
  ["another network", own("sandbox: { workspace: transactional, env: [], network: { allow: [example.com] } }"), own(...sandbox(""))],
  ["a workspace that is bound", own("sandbox: { workspace: bind, env: [] }"), own(...sandbox(""))],
  ["a variable that is passed on", own("sandbox: { workspace: transactional, env: [PATH_TO_IT] }"), own(...sandbox(""))],
  ["a root that is written", own("workspace: { roots: [{ path: '.', access: read-write }] }"), own("workspace: { roots: [{ path: '.', access: read }] }")],
  ["a file that the other forbids", own(...sandbox("")), own("workspace: { forbidden: ['**/*.key'] }", ...sandbox(""))],
  ["the host's programs", own("sandbox: { runtime: bubblewrap, workspace: bind }"), own("sandbox: { runtime: docker, workspace: bind }")],
])("a sandbox with %s does not hold what another was promised", (_what, policy, other) => {
  expect(isHeldBy(policy, other)).toBe(false);
  expect(isHeldBy(policy, policy)).toBe(true);
});

test("a policy that relies on a stricter sandbox than there is allows nothing for its sake", () => {
  const open = own("autonomy: full", "workspace: { roots: [{ path: '.', access: read-write }] }", ...sandbox(", network: { allow: [example.com] }"));
  const sealed = own(...SEALED, ...sandbox(""));
  const requests = [commandRequest(simpleCommand("mystery"), [{ kind: "unknown" }])];
  const call = { tool: "shell", requests };
  expect(decide(sealed, call, facts(requests)).verdict).toBe("allow");
  expect(decideNarrowed(sealed, [sealed], call, facts(requests)).narrowing).toBe("allow");
  expect(decideNarrowed(open, [sealed], call, facts(requests)).narrowing).toBe("ask");
});

test("a tool that is not listed is refused to the sub-agent alone", () => {
  const policy = own("autonomy: full", "workspace: { roots: [{ path: '.', access: read-write }] }");
  const requests: readonly Request[] = [{ kind: "read", path: "/home/dev/project/a", isRecursive: false }];
  const verdict = (tool: string): string => decideNarrowed(policy, [withTools(policy, ["read_file"])], { tool, requests }, facts(requests)).decision.verdict;
  expect([verdict("read_file"), verdict("shell")]).toEqual(["allow", "deny"]);
});
