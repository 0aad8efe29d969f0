import { expect, test } from "vitest";
import { z } from "zod";
import { gapOf, isNamedBy, neededPrograms, needsGate, policyGate, type Surroundings } from "../../src/tools/availability.ts";
import { defineTool } from "../../src/tools/contract/define.ts";
import type { Need } from "../../src/tools/contract/tool.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { policyOf, policyText } from "../policy/bench.ts";

const tool = (name: string, ...needs: readonly Need[]) => defineTool({ name, description: "For a test.", schema: z.object({}), needs, execute: () => "done" });

const policy = (tools: string) => policyOf(policyText(`tools: ${tools}`));

const surroundings = (change: Partial<Surroundings> = {}): Surroundings => ({
  policy: policy("{ allow: ['*'] }"),
  programs: new Set(),
  settings: new Set(),
  noBrowser: "Nobody prepared its image.",
  noJobs: "Nothing holds their limits.",
  hasPerson: false,
  hasSkills: false,
  ...change,
});

test.each([
  ["program", { kind: "program", program: "pwsh" }, { programs: new Set(["pwsh"]) }, "has no program pwsh"],
  ["setting", { kind: "setting", key: "search" }, { settings: new Set(["search"]) }, "a person sets `search` in settings.yaml"],
  ["browser", { kind: "browser" }, { noBrowser: null }, "This run has no browser. Nobody prepared its image."],
  ["jobs", { kind: "jobs" }, { noJobs: null }, "Nothing holds their limits. Use shell."],
  ["person", { kind: "person" }, { hasPerson: true }, "Nobody is there to answer"],
  ["skill", { kind: "skill" }, { hasSkills: true }, "This run has no skills"],
  ["named", { kind: "named" }, { policy: policy("{ allow: [mine] }") }, "`*` is not enough"],
] as const satisfies readonly (readonly [string, Need, Partial<Surroundings>, string])[])(
  "a tool with the need %s is offered only where what it needs is there",
  (_kind, need, given, words) => {
    const tools = createRegistry([], [tool("mine", need), tool("other")]);
    const gate = (change: Partial<Surroundings>) => [needsGate(tools, surroundings(change))];
    expect(gapOf(gate({}), "mine")).toEqual({ gate: "needs", reason: expect.stringContaining(words) as string });
    expect(gapOf(gate(given), "mine")).toBeNull();
    expect(gapOf(gate({}), "other")).toBeNull();
  },
);

test("a search of the web is offered where a search engine is configured, and nowhere else", () => {
  const reason = (settings: readonly string[]) => gapOf([needsGate(createRegistry(), surroundings({ settings: new Set(settings) }))], "web_search")?.reason;
  expect(reason([])).toContain("a person sets `search` in settings.yaml");
  expect(reason(["search"])).toBeUndefined();
});

test("the first gate that speaks is named; one that fails, or says nothing that can be read, takes the tool away", () => {
  const silent = { name: "silent", refuses: () => null };
  const says = (name: string, reason: unknown) => ({ name, refuses: () => reason as string });
  const breaks = {
    name: "breaks",
    refuses: (): string | null => {
      throw new Error("a fault");
    },
  };
  expect(gapOf([silent], "shell")).toBeNull();
  expect(gapOf([silent, says("one", "No."), says("two", "Never.")], "shell")).toEqual({ gate: "one", reason: "No." });
  expect(gapOf([silent, breaks], "shell")).toMatchObject({ gate: "breaks" });
  for (const reason of [undefined, true, "", 7]) expect(gapOf([says("odd", reason)], "shell")).toEqual({ gate: "odd", reason: "It did not say why." });
});

test("a pattern of a policy offers what it lets a call name", () => {
  const offered = (tools: string) => createRegistry().names.filter((name) => gapOf([policyGate(policy(tools))], name) === null);
  expect(offered("{ allow: ['rea*'] }")).toEqual(["read_artifact", "read_file", "read_job"]);
  expect(offered("{ allow: [bash, '@builtin'], deny: ['l*', agent] }")).not.toContain("list_jobs");
  expect(offered("{ deny: ['@builtin'] }")).toEqual([]);
  const ofServers = ["notes__read", "notes__write", "other__read"];
  const named = (tools: string) => ofServers.filter((name) => gapOf([policyGate(policy(tools))], name) === null);
  expect(named("{ allow: ['@notes'] }")).toEqual(["notes__read", "notes__write"]);
  expect(named("{ allow: ['@notes/re*'] }")).toEqual(["notes__read"]);
  expect(named("{ deny: ['@notes'] }")).toEqual(["other__read"]);
});

test("a tool is named by a pattern, and not by one that names everything", () => {
  expect([isNamedBy(policy("{ allow: ['*', 'sh*'] }"), "shell"), isNamedBy(policy("{ allow: ['*'] }"), "shell")]).toEqual([true, false]);
  expect(isNamedBy(policy("{ allow: [shell], deny: [shell] }"), "shell")).toBe(false);
});

test("a sandbox is looked at for those programs alone whose tools the policy allows", () => {
  expect(neededPrograms(createRegistry(), policy("{ allow: ['*'] }"))).toContain("pwsh");
  expect(neededPrograms(createRegistry(), policy("{ deny: [powershell] }"))).not.toContain("pwsh");
});
