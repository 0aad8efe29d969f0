import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { AgentError } from "../../../src/base/errors.ts";
import { defineOwnTool, defineTool } from "../../../src/tools/contract/define.ts";
import { schemaSaidAs } from "../../../src/tools/contract/json-schema.ts";
import { staticTools } from "../../../src/tools/contract/static-tools.ts";
import { DEFAULT_TRAITS } from "../../../src/tools/contract/traits.ts";
import { resultText } from "../../../src/tools/contract/tool.ts";
import { decodeInput } from "../../../src/tools/decode.ts";
import { BUILT_IN_TOOLS, createRegistry, type AnyTool } from "../../../src/tools/registry.ts";

const city = z.object({ city: z.string().describe("Where."), days: z.int().min(1).max(7).optional() });
const weather = defineTool({
  name: "weather",
  description: "Says how the weather will be.",
  schema: city,
  validate: ({ days = 1 }) => (days === 6 ? "days must not be 6." : null),
  execute: ({ city: where, days }) => `${where}: ${days ?? 1} days of rain`,
});

describe("one schema", () => {
  test("gives the type of the input", () => {
    expectTypeOf<Parameters<(typeof weather)["requests"]>[0]>().toEqualTypeOf<{ city: string; days?: number | undefined }>();
    defineTool({
      name: "typed",
      description: "",
      schema: city,
      // @ts-expect-error: the schema has no such argument.
      execute: (input) => String(input.country),
    });
    // @ts-expect-error: a result is words, or a whole result.
    defineTool({ name: "typed", description: "", schema: city, execute: () => 7 });
    // @ts-expect-error: there is no such trait.
    defineTool({ name: "typed", description: "", schema: city, traits: { isApproved: true }, execute: () => "" });
    expect(weather.name).toBe("weather");
  });

  test("gives what the model sees: a closed object, the same bytes each time", () => {
    const [definition] = createRegistry([], [weather]).toolDefinitions();
    expect(definition?.inputSchema).toEqual({
      type: "object",
      properties: { city: { type: "string", description: "Where." }, days: { type: "integer", minimum: 1, maximum: 7 } },
      required: ["city"],
      additionalProperties: false,
    });
    expect(JSON.stringify(createRegistry([], [weather as unknown as AnyTool]).toolDefinitions())).toBe(JSON.stringify([definition]));
  });

  test("reads the arguments, and refuses one that it does not name", () => {
    expect(decodeInput(weather, { city: "Bern", days: "3" })).toEqual({ kind: "valid", input: { city: "Bern", days: 3 } });
    expect(decodeInput(weather, { city: "Bern", approved: true })).toMatchObject({ kind: "invalid", message: expect.stringContaining("approved") as unknown });
  });

  test("and what no schema can say is the tool's own to refuse", () => {
    expect(decodeInput(weather, { city: "Bern", days: 6 })).toEqual({ kind: "invalid", message: "Invalid arguments for weather: days must not be 6." });
  });
});

type Tree = { children?: Tree[] | undefined };
const tree: z.ZodType<Tree> = z.lazy(() => z.object({ children: z.array(tree).optional() }));

test.each([
  ["refers to itself", () => z.object({ tree })],
  ["has an array of anything", () => z.object({ pairs: z.tuple([z.string()]) })],
])("a schema that %s is refused when the tool is made", (_what, schema) => {
  expect(() => defineOwnTool({ name: "odd", description: "", schema: schema(), execute: () => "" })).toThrow(AgentError);
});

test("a schema that somebody else wrote has no union at the top", () => {
  for (const key of ["anyOf", "oneOf", "allOf"])
    expect(() => schemaSaidAs({ type: "object", [key]: [{ required: ["a"] }] }, "odd")).toThrow("a union at the top");
});

test("what a tool does not say of itself has the careful default", () => {
  expect(weather.traits).toEqual({
    exclusiveSandbox: true,
    parallelSafe: false,
    countsTowardCallLimit: true,
    countsTowardTermination: true,
    abortsSiblingsOnError: false,
    maxResultChars: 32_000,
    history: { isCompactable: true, pinsActivePlan: false },
    identity: { kind: "arguments" },
    tier: "danger",
    subAgents: "shared",
    timeoutMs: 120_000,
  });
  expect(Object.isFrozen(weather.traits) && Object.isFrozen(DEFAULT_TRAITS)).toBe(true);
});

test.each([
  ["a time limit that never comes", { timeoutMs: Infinity }],
  ["no time at all", { timeoutMs: 0 }],
  ["sub-agents that work nowhere", { subAgents: "elsewhere" as never }],
  ["results of ten characters", { maxResultChars: 10 }],
  ["an argument that there is not", { history: { dedupArgument: "path" } }],
  ["a target that there is not", { identity: { kind: "target", targetArgument: "path" } as const }],
])("%s is refused as a trait", (_what, traits) => {
  expect(() => defineTool({ name: "odd", description: "", schema: city, traits, execute: () => "" })).toThrow(AgentError);
});

test("every built-in tool has a limit of time, and what changes something says so", () => {
  const tiers = Object.fromEntries(BUILT_IN_TOOLS.map((tool) => [tool.name, tool.traits.tier]));
  expect(tiers).toEqual({
    agent: "danger",
    agent_apart: "danger",
    agent_crew: "danger",
    agent_merge: "workspace-write",
    apply_patch: "workspace-write",
    ask_user: "read-only",
    browser: "danger",
    code: "read-only",
    code_rewrite: "workspace-write",
    config: "read-only",
    cron_add: "danger",
    cron_list: "read-only",
    cron_remove: "danger",
    edit_file: "workspace-write",
    glob_search: "read-only",
    grep_search: "read-only",
    http_request: "danger",
    language_server: "danger",
    list_files: "read-only",
    list_jobs: "read-only",
    memory_forget: "workspace-write",
    memory_recall: "read-only",
    memory_store: "workspace-write",
    notebook_edit: "workspace-write",
    powershell: "danger",
    read_artifact: "read-only",
    read_file: "read-only",
    read_job: "read-only",
    rename_symbol: "danger",
    repl: "danger",
    script: "danger",
    send_user_message: "read-only",
    shell: "danger",
    skill: "read-only",
    sleep: "read-only",
    start_job: "danger",
    stop_job: "danger",
    todo_write: "read-only",
    web_fetch: "read-only",
    web_search: "read-only",
    write_file: "workspace-write",
  });
  for (const { traits } of BUILT_IN_TOOLS) expect(typeof traits.timeoutMs === "string" || traits.timeoutMs <= 720_000).toBe(true);
});

test("static tools give their answer, whatever they are asked", async () => {
  const tools = staticTools({ fixed: "always", made: (input) => JSON.stringify(input) });
  const context = {} as never;
  const texts = await Promise.all(tools.map(async (tool) => resultText(await tool.execute({ any: 1 }, context))));
  expect(texts).toEqual(["always", '{"any":1}']);
});
