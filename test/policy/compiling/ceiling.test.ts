import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { budgetOf } from "../../../src/budgets/accounts.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { compilePolicy, type CompileResult } from "../../../src/policy/compiling/compile.ts";
import { decide } from "../../../src/policy/deciding/evaluate.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import { effectiveEntries } from "../../../src/policy/printing/entries.ts";
import { effectiveText } from "../../../src/policy/printing/text.ts";
import { CONTEXT, decideCommand, deciding, factsFor, policyOf, policyText } from "../bench.ts";
import { policyLines, request, text } from "../random-policies.ts";

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

/** Files, each with a ceiling's name, the innermost first. */
function compileUnder(file: string, ...ceilings: readonly string[]): CompileResult {
  return compilePolicy(
    [{ file: "policy.yaml", text: file }],
    CONTEXT,
    ceilings.map((ceiling, index) => [{ file: `ceiling-${String(index)}.yaml`, text: ceiling.replace("name: test", `name: ceiling-${String(index)}`) }]),
  );
}

function under(file: string, ...ceilings: readonly string[]): Policy {
  const result = compileUnder(file, ...ceilings);
  if (result.kind === "refused") throw new Error(result.diagnostics.map(({ at, message }) => `${at.file}:${String(at.line)}: ${message}`).join("\n"));
  return result.policy;
}

test("a ceiling binds what the policy says, and says so in the effective policy", () => {
  const policy = under(
    policyText("autonomy: full", "commands: { rules: [{ id: go, allow: 'git tag *', because: Fine. }] }", "limits: { run: { turns: 90 } }"),
    policyText("workspace: { forbidden: ['**/ours'] }", "tools: { deny: [web_fetch] }"),
    policyText("autonomy: supervised", "commands: { rules: [{ id: no-tag, deny: 'git tag **', because: Ours. }] }", "limits: { run: { turns: 60 } }"),
  );
  expect(deciding(decideCommand(policy, "git tag v1"))).toBe("no-tag");
  expect([policy.autonomy, policy.limits.run.turns, policy.tools.deny]).toEqual(["supervised", 60, ["web_fetch"]]);
  expect(policy.files).toEqual(["policy.yaml", "ceiling-0.yaml", "ceiling-1.yaml"]);
  const lines = effectiveText(policy.name, effectiveEntries(policy, CONTEXT)).split("\n");
  const origin = (start: string): string | undefined => lines.find((line) => line.trim().startsWith(start))?.split(" # ")[1];
  expect([origin("autonomy"), origin("turns"), origin('- "**/ours"'), origin("tokens")]).toEqual([
    "ceiling-1.yaml:3",
    "ceiling-1.yaml:5",
    "ceiling-0.yaml:3",
    "default",
  ]);
});

test("what a policy leaves to the defaults no ceiling widens", () => {
  const wide = policyText(
    "autonomy: full",
    "workspace: { roots: [{ path: ., access: read-write }, { path: '~/cache', access: read }] }",
    "limits: { run: { turns: 500, sub-agents: 20 } }",
    "sandbox: { env: [LANG], cpus: 8, network: { allow: [example.org], registries: [npm], limits: { connection: { bytes-up: 1g }, run: { connections: 100 } } } }",
  );
  const [bounded, silent] = [under(policyText(), wide), policyOf(policyText())];
  const said = ({ autonomy, workspace, limits, sandbox }: Policy): unknown => ({ autonomy, roots: workspace.roots, run: limits.run, sandbox });
  expect(said(bounded)).toEqual(said(silent));
  // What the policy states it keeps, as far as the ceiling goes.
  const stated = under(policyText("autonomy: full", "sandbox: { env: [LANG, TZ], network: { allow: [example.org, example.com] } }"), wide);
  expect([stated.autonomy, stated.sandbox.env, stated.sandbox.network.allow]).toEqual(["full", ["LANG"], ["example.org"]]);
});

test("what a ceiling asks about turns no denial into a question, and is printed so", () => {
  const policy = under(
    policyText("autonomy: full", "commands: { block-high-risk: true }"),
    policyText("commands: { effects: { processes: ask }, rules: [{ id: look, ask: 'kill **', because: Look. }] }"),
  );
  expect(decideCommand(policy, "kill 1")).toMatchObject({
    verdict: "deny",
    rules: expect.arrayContaining([expect.objectContaining({ id: "block-high-risk" })]),
  });
  const printed = effectiveText(policy.name, effectiveEntries(policy, CONTEXT));
  expect(printed).toContain("when: always");
  expect(policyOf(printed).digest).toBe(policy.digest);
  const asked = under(
    policyText("autonomy: full", "commands: { rules: [{ id: go, allow: 'kill 1', because: Fine. }] }"),
    policyText("commands: { effects: { processes: ask } }"),
  );
  expect(deciding(decideCommand(asked, "kill 1"))).toBe("effect-processes-when-always");
});

describe("a ceiling that allows something is refused", () => {
  test.each([
    ["a rule", "commands: { rules: [{ id: go, allow: ls, because: Fine. }] }", "The rule `go` allows something"],
    ["an effect", "commands: { effects: { history: allow } }", "The effect `history` allows something"],
  ])("%s", (_what, line, message) => {
    expect(compileUnder(policyText(), policyText(line))).toMatchObject({
      kind: "refused",
      diagnostics: [expect.objectContaining({ message: expect.stringContaining(message), at: expect.objectContaining({ file: "ceiling-0.yaml", line: 3 }) })],
    });
  });

  test("and so is one that cannot be read", () => {
    expect(compileUnder(policyText(), "version: 1\nname: test\nautonmy: full\n")).toMatchObject({ kind: "refused" });
  });
});

test("a window of a ceiling counts in the ceiling's account", () => {
  const policy = under(
    policyText("limits: { actions: { max: 5, per: 1h } }"),
    policyText("limits: { actions: { max: 4, per: 1h } }"),
    policyText("limits: { actions: { max: 3, per: 1h } }"),
  );
  expect(policy.limits.windows.map(({ max, by, level }) => [max, by, policy.files[level]])).toEqual([
    [3, "ceiling-1", "ceiling-1.yaml"],
    [4, "ceiling-0", "ceiling-0.yaml"],
    [5, "test", "policy.yaml"],
  ]);
  const store = {} as never;
  const accounts = budgetOf(policy, { workspace: "/w", runId: null, job: null }, { store, clock: systemClock }).windows.map(({ account }) => account);
  const other = under(
    policyText("autonomy: full").replace("name: test", "name: other"),
    policyText("limits: { actions: { max: 4, per: 1h } }"),
    policyText("limits: { actions: { max: 3, per: 1h } }"),
  );
  const others = budgetOf(other, { workspace: "/w", runId: null, job: null }, { store, clock: systemClock }).windows.map(({ account }) => account);
  expect(others).toEqual(accounts.slice(0, 2));
});

test("a ceiling never loosens, whatever it and the policy state", () => {
  let stricter = 0;
  fc.assert(
    fc.property(policyLines, policyLines, request, fc.constantFrom("profile" as const, "none" as const), (lines, above, wanted, containment) => {
      const ceiling = text(above, "c")
        .replaceAll(/\ballow: '/gu, "ask: '")
        .replaceAll(/: allow\b/gu, ": ask");
      const call = { tool: "shell", requests: [wanted] };
      const facts = factsFor([wanted], { containment });
      const [free, bound] = [decide(policyOf(text(lines, "a")), call, facts), decide(under(text(lines, "a"), ceiling), call, facts)];
      expect(STRICTNESS[bound.verdict]).toBeGreaterThanOrEqual(STRICTNESS[free.verdict]);
      if (bound.verdict !== free.verdict) stricter += 1;
    }),
    { numRuns: 600 },
  );
  expect(stricter).toBeGreaterThan(20);
});
