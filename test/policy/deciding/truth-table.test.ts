import { expect, test } from "vitest";
import { commandRequest, decideRequest, policyOf, policyText, simpleCommand } from "../bench.ts";

/**
 * Every combination of the six steps for one unit: `persists` of the command `tool build`. Each step is there or
 * not; the effect step may say any verdict; the baseline has three autonomies and two modes. What is expected is the
 * table below, written out by hand from the language's section 8.
 */
type Switches = {
  readonly hard: boolean;
  readonly deny: boolean;
  readonly ask: boolean;
  readonly allow: boolean;
  readonly effect: "none" | "allow" | "ask" | "deny";
  readonly autonomy: "read-only" | "supervised" | "full";
  readonly block: boolean;
};

const both = [false, true];
const COMBINATIONS: readonly Switches[] = both.flatMap((hard) =>
  both.flatMap((deny) =>
    both.flatMap((ask) =>
      both.flatMap((allow) =>
        (["none", "allow", "ask", "deny"] as const).flatMap((effect) =>
          (["read-only", "supervised", "full"] as const).flatMap((autonomy) => both.map((block) => ({ hard, deny, ask, allow, effect, autonomy, block }))),
        ),
      ),
    ),
  ),
);

/** First line that applies wins: [applies, verdict, deciding rule]. */
const TABLE: readonly (readonly [(on: Switches) => boolean, "allow" | "ask" | "deny", string])[] = [
  [(on) => on.hard, "deny", "stop-switch"],
  [(on) => on.autonomy === "read-only", "deny", "read-only-autonomy"],
  [(on) => on.deny, "deny", "no-build"],
  [(on) => on.effect === "deny", "deny", "effect-persists"],
  [(on) => on.ask, "ask", "ask-build"],
  [(on) => on.allow && on.effect !== "ask", "allow", "build"],
  [(on) => on.effect === "allow", "allow", "effect-persists"],
  [(on) => on.effect === "ask", "ask", "effect-persists"],
  [(on) => on.block, "deny", "block-high-risk"],
  [(on) => on.autonomy === "supervised", "ask", "baseline-supervised-high"],
  [() => true, "ask", "baseline-full-high"],
];

function policyFor(on: Switches): string {
  const rules = [
    ...(on.deny ? ["    - { id: no-build, deny: 'tool build **', because: no }"] : []),
    ...(on.ask ? ["    - { id: ask-build, ask: 'tool *', because: ask }"] : []),
    ...(on.allow ? ["    - { id: build, allow: 'tool build', because: yes it may }"] : []),
  ];
  return policyText(
    `autonomy: ${on.autonomy}`,
    "workspace: { roots: [{ path: '.', access: read-write }] }",
    "commands:",
    `  block-high-risk: ${on.block}`,
    ...(on.effect === "none" ? [] : [`  effects: { persists: ${on.effect} }`]),
    ...(rules.length === 0 ? [] : ["  rules:", ...rules]),
  );
}

test("the table covers every combination of the six steps", () => {
  expect(COMBINATIONS).toHaveLength(2 * 2 * 2 * 2 * 4 * 3 * 2);
});

test.each(COMBINATIONS)("hard $hard, deny $deny, ask $ask, allow $allow, effect $effect, $autonomy, block $block", (on) => {
  const line = TABLE.find(([applies]) => applies(on));
  const request = commandRequest(simpleCommand("tool build"), [{ kind: "persists" }]);
  const decision = decideRequest(policyOf(policyFor(on)), request, { isStopped: on.hard });
  expect([decision.verdict, decision.rules[0]?.id]).toEqual([line?.[1], line?.[2]]);
});

test("each rule that spoke is named, and the deciding one is first", () => {
  const policy = policyOf(
    policyText(
      "autonomy: full",
      "workspace: { roots: [{ path: '.', access: read-write }] }",
      "commands: { effects: { publishes: deny, history: ask }, rules: [{ id: no-tool, deny: 'other **', because: no }, { id: ask-tool, ask: 'tool **', because: ask }] }",
    ),
  );
  const decision = decideRequest(policy, commandRequest(simpleCommand("tool build"), [{ kind: "history" }, { kind: "publishes" }]));
  expect(decision.rules.map(({ id, step, verdict, at }) => [id, step, verdict, at?.line])).toEqual([
    ["effect-publishes", "deny", "deny", 5],
    ["no-network", "deny", "deny", undefined],
    ["ask-tool", "ask-rule", "ask", 5],
  ]);
});

test("code that nobody read is not allowed in an open profile, however the policy came to be", () => {
  const sealed = policyOf(policyText("autonomy: full", "commands: { effects: { runs-code: allow } }"));
  const request = commandRequest(simpleCommand("tool build"), [{ kind: "runs-code" }]);
  expect(decideRequest(sealed, request).verdict).toBe("allow");
  expect(decideRequest({ ...sealed, sandbox: { ...sealed.sandbox, workspace: "bind" } }, request).verdict).toBe("ask");
});

/** What a profile is sealed by, part by part: registries are no part of it, and a host beside them is. */
const PARTS = {
  registries: [[], ["npm"], ["npm", "pypi", "debian", "crates", "go", "maven"]],
  allow: [[], ["a.example.org"]],
  env: [[], ["CI"]],
  workspace: ["transactional", "bind"],
} as const;

const PROFILES = PARTS.registries.flatMap((registries) =>
  PARTS.allow.flatMap((allow) => PARTS.env.flatMap((env) => PARTS.workspace.map((workspace) => ({ registries, allow, env, workspace })))),
);

test.each(PROFILES)("registries $registries, hosts $allow, variables $env, $workspace", ({ registries, allow, env, workspace }) => {
  const sandbox = `sandbox: { workspace: ${workspace}, env: [${env.join()}], network: { allow: [${allow.join()}], registries: [${registries.join()}] } }`;
  const isSealed = allow.length === 0 && env.length === 0 && workspace === "transactional";
  const policy = policyOf(policyText("autonomy: full", sandbox));
  const effects = new Map([["runs-code", { verdict: "allow", at: { file: "a", line: 1, column: 1 } }]] as const);
  const request = commandRequest(simpleCommand("tool build"), [{ kind: "runs-code" }]);
  const decision = decideRequest({ ...policy, commands: { ...policy.commands, effects } }, request);
  expect([decision.verdict, decision.rules[0]?.id]).toEqual(isSealed ? ["allow", "effect-runs-code"] : ["ask", "baseline-full-high"]);
});
