import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { compilePolicy } from "../../src/policy/compile.ts";
import type { Decision } from "../../src/policy/decision.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { readYaml } from "../../src/policy/yaml.ts";
import { CONTEXT, decideCommand, deciding, decideRequest } from "./bench.ts";

const POLICIES = new URL("../../policies/", import.meta.url);

const suiteSchema = z.strictObject({
  cases: z
    .array(
      z.strictObject({
        command: z.string().optional(),
        read: z.string().optional(),
        write: z.string().optional(),
        connect: z.string().optional(),
        invoke: z.string().optional(),
        containment: z.enum(["profile", "none"]).default("profile"),
        decision: z.enum(["allow", "ask", "deny"]),
        rule: z.string(),
      }),
    )
    .min(1),
});

type Case = z.output<typeof suiteSchema>["cases"][number];

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

function suite(name: string): readonly Case[] {
  const read = readYaml(`${name}.test.yaml`, textOf(`${name}.test.yaml`));
  if ("diagnostics" in read) throw new Error(JSON.stringify(read.diagnostics, null, 2));
  return suiteSchema.parse(read.text.value).cases;
}

function absolute(path: string): string {
  return path.startsWith("/") ? path : path.startsWith("~/") ? `${CONTEXT.home}${path.slice(1)}` : `${CONTEXT.workspace}/${path}`;
}

function decideCase(policy: Policy, { command, read, write, connect, invoke, containment }: Case): Decision {
  const facts = { containment };
  if (command !== undefined) return decideCommand(policy, command, facts);
  if (read !== undefined) return decideRequest(policy, { kind: "read", path: absolute(read), isRecursive: false }, facts);
  if (write !== undefined) return decideRequest(policy, { kind: "write", path: absolute(write) }, facts);
  if (connect !== undefined) return decideRequest(policy, { kind: "connect", host: connect, port: 443 }, facts);
  return decideRequest(policy, { kind: "invoke", tool: invoke ?? "" }, { ...facts, tool: invoke ?? "" });
}

const names = readdirSync(POLICIES)
  .filter((file) => file.endsWith(".yaml") && !file.endsWith(".test.yaml"))
  .map((file) => file.slice(0, -".yaml".length));

const cases = names.flatMap((name) => suite(name).map((one) => ({ name, what: one.command ?? one.read ?? one.write ?? one.connect ?? one.invoke, one })));

test("five policies are shipped", () => {
  expect(names.toSorted()).toEqual(["base", "operator", "read-only", "supervised", "unattended"]);
});

test.each(cases)("$name: $what", ({ name, one }) => {
  const decision = decideCase(shipped(name), one);
  expect([decision.verdict, deciding(decision), decision.reason]).toEqual([one.decision, one.rule, expect.any(String)]);
});

test("the operator's policy has no allow rule and allows no effect", () => {
  const { commands } = shipped("operator");
  expect(commands.rules.filter(({ verdict }) => verdict === "allow")).toEqual([]);
  expect([...commands.effects].filter(([, { verdict }]) => verdict === "allow")).toEqual([]);
});

test("base states nothing but forbidden and protected paths and denies", () => {
  const document = readYaml("base.yaml", textOf("base.yaml"));
  if ("diagnostics" in document) throw new Error("base.yaml cannot be read.");
  const value = document.text.value as { workspace: object; commands: { effects: Record<string, string> } };
  expect(Object.keys(value)).toEqual(["version", "name", "workspace", "commands"]);
  expect(Object.keys(value.workspace)).toEqual(["forbidden", "protected"]);
  expect(new Set(Object.values(value.commands.effects))).toEqual(new Set(["deny"]));
});
