import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readPolicySuite, type SuiteCase } from "../../src/config/policy/suite.ts";
import { compilePolicy } from "../../src/policy/compiling/compile.ts";
import type { Decision } from "../../src/policy/decision.ts";
import { supposedLabels } from "../../src/policy/label.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { readYaml } from "../../src/policy/text/yaml.ts";
import { CONTEXT, decideCommand, deciding, decideRequest } from "./bench.ts";

const POLICIES = new URL("../../policies/", import.meta.url);

function textOf(file: string): string {
  return readFileSync(new URL(file, POLICIES), "utf8");
}

function shipped(name: string): Policy {
  const chain = name === "base" ? ["base"] : [name, "base"];
  const result = compilePolicy(
    chain.map((file) => ({ file: `policies/${file}.yaml`, text: textOf(`${file}.yaml`) })),
    CONTEXT,
  );
  if (result.kind === "refused") throw new Error(JSON.stringify(result.diagnostics, null, 2));
  return result.policy;
}

function absolute(path: string): string {
  return path.startsWith("/") ? path : path.startsWith("~/") ? `${CONTEXT.home}${path.slice(1)}` : `${CONTEXT.workspace}/${path}`;
}

function decideCase(policy: Policy, { wanted, containment, seen }: SuiteCase): Decision {
  const { kind, text } = wanted;
  const facts = { containment, ...(seen === undefined ? {} : { labels: supposedLabels(seen) }) };
  switch (kind) {
    case "command":
      return decideCommand(policy, text, facts);
    case "read":
      return decideRequest(policy, { kind, path: absolute(text), isRecursive: false }, facts);
    case "write":
      return decideRequest(policy, { kind, path: absolute(text) }, facts);
    case "connect":
      return decideRequest(policy, { kind, host: text, port: 443 }, facts);
    case "invoke":
      return decideRequest(policy, { kind, tool: text }, { ...facts, tool: text });
  }
}

const names = readdirSync(POLICIES)
  .filter((file) => file.endsWith(".yaml") && !file.endsWith(".test.yaml"))
  .map((file) => file.slice(0, -".yaml".length));

const cases = names.flatMap((name) => readPolicySuite(name, "/").map((one) => ({ name, what: one.wanted.text, one })));

test("seven policies are shipped", () => {
  expect(names.toSorted()).toEqual(["base", "operator", "read-only", "reviewed", "sends-nothing-untrusted", "supervised", "unattended"]);
});

test.each(cases)("$name: $what", ({ name, one }) => {
  const decision = decideCase(shipped(name), one);
  expect(one.rule).toBeDefined();
  expect([decision.verdict, deciding(decision), decision.reason]).toEqual([one.decision, one.rule, expect.any(String)]);
});

test("the operator's policy has no allow rule and allows no effect", () => {
  const { commands } = shipped("operator");
  expect(commands.rules.filter(({ verdict }) => verdict === "allow")).toEqual([]);
  expect([...commands.effects].filter(([, { verdict }]) => verdict === "allow")).toEqual([]);
});

test("base states nothing but forbidden paths, keys and protected paths and denies", () => {
  const document = readYaml("base.yaml", textOf("base.yaml"));
  if ("diagnostics" in document) throw new Error("base.yaml cannot be read.");
  const value = document.text.value as { workspace: object; commands: { effects: Record<string, string> } };
  expect(Object.keys(value)).toEqual(["version", "name", "workspace", "commands"]);
  expect(Object.keys(value.workspace)).toEqual(["forbidden", "keys", "protected"]);
  expect(new Set(Object.values(value.commands.effects))).toEqual(new Set(["deny"]));
});
