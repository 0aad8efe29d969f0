import { expect, test } from "vitest";
import { compileTexts, policyOf, policyText } from "../bench.ts";

const warningsOf = (...lines: readonly string[]): readonly string[] => {
  const result = compileTexts([policyText(...lines)]);
  if (result.kind !== "compiled") throw new Error(JSON.stringify(result.diagnostics));
  return result.warnings.map(({ severity, at, message }) => `${severity} ${at.line}:${at.column}: ${message}`);
};

test("a condition that can never hold is warned of, with its place", () => {
  const rule = "commands: { rules: [{ id: a, deny: ls, because: no, when: tainted }], effects: { sends: { verdict: deny, when: sensitive } } }";
  expect(warningsOf(rule, "tools: { allow: [structured_output] }")).toEqual([
    expect.stringMatching(/^warning 3:21: The `when` of the rule `a` never holds/u),
    expect.stringMatching(/^warning 3:82: The `when` of the effect `sends` never holds/u),
  ]);
  for (const allow of ["[shell, structured_output]", "['*']", "[tracker__comment]"]) expect(warningsOf(rule, `tools: { allow: ${allow} }`)).toEqual([]);
  expect(warningsOf(rule, "tools: { allow: [shell, structured_output], deny: [shell] }")).toHaveLength(2);
});

test("a condition that says nothing more is warned of, with what says it already", () => {
  const effects = (value: string) => warningsOf(`commands: { effects: { sends: ${value} } }`);
  expect(effects("[deny, { verdict: ask, when: tainted }]")).toEqual([
    expect.stringMatching(/^warning 3:38: .*policy\.yaml:3 says `deny` for `sends` already/u),
  ]);
  expect(effects("[ask, { verdict: ask, when: tainted }]")).toHaveLength(1);
  expect(effects("[{ verdict: deny, when: tainted }, { verdict: ask, when: [tainted, sensitive] }]")).toHaveLength(1);
  for (const more of [
    "[ask, { verdict: deny, when: tainted }]",
    "[{ verdict: ask, when: tainted }, { verdict: deny, when: [tainted, sensitive] }]",
    "{ verdict: ask, when: tainted }",
  ])
    expect(effects(more)).toEqual([]);
});

test("conditions of a parent and of its child add up, and change the digest", () => {
  const parent = policyText("commands: { effects: { sends: { verdict: deny, when: tainted } } }");
  const child = policyText("commands: { effects: { sends: [allow, { verdict: ask, when: sensitive }] } }");
  expect(policyOf(child, parent).commands.tightened?.map(({ verdict, when }) => `${verdict} ${when.join()}`)).toEqual(["deny tainted", "ask sensitive"]);
  const digests = [
    policyText(),
    parent,
    policyText("workspace: { sensitive: [a] }"),
    policyText("commands: { rules: [{ id: a, deny: ls, because: no }] }"),
    policyText("commands: { rules: [{ id: a, deny: ls, because: no, when: tainted }] }"),
  ];
  expect(new Set(digests.map((each) => policyOf(each).digest)).size).toBe(5);
});
