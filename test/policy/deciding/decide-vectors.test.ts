import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { EFFECT_KINDS } from "../../../src/programs/effect.ts";
import { SIGHTS, supposedLabels } from "../../../src/policy/label.ts";
import type { Decision } from "../../../src/policy/decision.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import { commandRequest, decideCommand, deciding, decideRequest, policyOf, policyText, simpleCommand, type FactChanges } from "../bench.ts";

const fact = z.strictObject({
  real: z.string().optional(),
  type: z.enum(["file", "directory", "other", "missing"]).optional(),
  links: z.int().optional(),
  error: z.string().optional(),
});

const paths = z.array(z.string()).transform((each) => new Set(each));

const vectorSchema = z.strictObject({
  clause: z.string(),
  name: z.string(),
  policy: z.array(z.string()),
  parent: z.array(z.string()).optional(),
  /** The name that the policy file has. */
  policyFile: z.string().optional(),
  command: z.string().optional(),
  read: z.string().optional(),
  write: z.string().optional(),
  connect: z.string().optional(),
  invoke: z.string().optional(),
  /** The roots of an MCP server that reads or writes the path, in the place of the run. */
  server: z.array(z.strictObject({ path: z.string(), access: z.enum(["read", "read-write"]) })).optional(),
  /** One effect of an ordinary command. */
  effect: z.enum(EFFECT_KINDS).optional(),
  facts: z
    .strictObject({
      containment: z.enum(["profile", "none"]).optional(),
      isStopped: z.boolean().optional(),
      isNetworkStopped: z.boolean().optional(),
      isSandboxReady: z.boolean().optional(),
      /** The day on which it is asked, at its last moment. */
      day: z.string().optional(),
      at: z.iso.datetime().optional(),
      actionsLeft: z.int().optional(),
      asksLeft: z.int().optional(),
      /** How often rules were used before; absent: no run counts. */
      uses: z
        .record(z.string(), z.int())
        .transform((uses) => new Map(Object.entries(uses)))
        .optional(),
      /** What the model was given; absent: nobody knows. */
      labels: z.array(z.enum(SIGHTS)).transform(supposedLabels).optional(),
      publicOnly: paths.optional(),
      publicHeld: paths.optional(),
      privateKeys: paths.optional(),
    })
    .optional(),
  paths: z.record(z.string(), fact.nullable()).optional(),
  verdict: z.enum(["allow", "ask", "deny"]),
  rule: z.string(),
  /** A part of the reason. */
  says: z.string().optional(),
});

type Vector = z.output<typeof vectorSchema>;

const vectors = z
  .array(vectorSchema)
  .min(80)
  .parse(JSON.parse(readFileSync(new URL("../../vectors/policy/decide.json", import.meta.url), "utf8")));

const language = readFileSync(new URL("../../../docs/policy-language.md", import.meta.url), "utf8");

function decideVector(policy: Policy, { command, read, write, connect, invoke, server, effect, facts, paths }: Vector): Decision {
  const { day, at = `${day}T23:59:59.999Z`, ...measured } = facts ?? {};
  const nowMs = facts?.at === undefined && day === undefined ? {} : { nowMs: Date.parse(at) };
  const changes = { ...measured, ...nowMs, ...(paths === undefined ? {} : { paths }) } as FactChanges;
  if (command !== undefined) return decideCommand(policy, command, changes);
  if (server !== undefined) {
    const path = read ?? write ?? "";
    return decideRequest(policy, { kind: "server-path", use: read === undefined ? "write" : "read", path, place: { server: "notes", roots: server } }, changes);
  }
  if (read !== undefined) return decideRequest(policy, { kind: "read", path: read, isRecursive: false }, changes);
  if (write !== undefined) return decideRequest(policy, { kind: "write", path: write }, changes);
  if (connect !== undefined) return decideRequest(policy, { kind: "connect", host: connect, port: 443 }, changes);
  if (invoke !== undefined) return decideRequest(policy, { kind: "invoke", tool: invoke }, { ...changes, tool: invoke });
  if (effect !== undefined) return decideRequest(policy, commandRequest(simpleCommand("tool build"), [{ kind: effect }]), changes);
  throw new Error("A vector requests nothing.");
}

test.each(vectors)("$clause: $name", (vector) => {
  expect(language).toContain(`**${vector.clause}**`);
  const texts = [vector.policy, ...(vector.parent === undefined ? [] : [vector.parent])].map((lines) => policyText(...lines));
  const policy = { ...policyOf(...texts), ...(vector.policyFile === undefined ? {} : { files: [vector.policyFile] }) };
  const decision = decideVector(policy, vector);
  expect([decision.verdict, deciding(decision), decision.reason]).toEqual([vector.verdict, vector.rule, expect.stringContaining(vector.says ?? "")]);
});

test("each clause that decides something has a vector", () => {
  const clauses = [...language.matchAll(/\*\*([2-8]\.\d+)\*\*/gu)].map((match) => match[1]);
  const load = JSON.parse(readFileSync(new URL("../../vectors/policy/load.json", import.meta.url), "utf8")) as { clause: string }[];
  const cited = new Set([...vectors, ...load].map(({ clause }) => clause));
  // Held elsewhere: 2.1-2.3, 2.5 and 2.6 by the loader's tests, 3.1 and 3.5 by those of merging, 3.7 by those of ceilings, 6.6 by those of budgets, 6.13 and 6.15 by those of credentials and merging, 6.17 by those of the gate, 6.23-6.25 by those of budgets, 8.1 and 8.3-8.7 by the truth table.
  const elsewhere = new Set([
    "2.1",
    "2.2",
    "2.3",
    "2.5",
    "2.6",
    "3.1",
    "3.5",
    "3.7",
    "6.6",
    "6.13",
    "6.15",
    "6.17",
    "6.23",
    "6.24",
    "6.25",
    "8.1",
    "8.3",
    "8.4",
    "8.5",
    "8.6",
    "8.7",
  ]);
  expect(clauses.filter((clause) => clause !== undefined && !cited.has(clause) && !elsewhere.has(clause))).toEqual([]);
});
