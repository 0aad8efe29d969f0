import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readYaml } from "../../../src/policy/text/yaml.ts";
import { parseScript } from "../../../src/providers/scripted/script.ts";

const turn = { say: "Hello." };

test("reads turns with what they say, call and expect", () => {
  const parsed = parseScript(
    {
      protocol: "anthropic",
      turns: [
        { calls: [{ tool: "shell", input: { command: "ls" } }, { tool: "shell" }, { tool: "shell", "raw-input": "{" }] },
        { when: { "result-contains": "a", "result-excludes": ["b", "c"] }, say: "x" },
      ],
    },
    "s.yaml",
  );
  expect(parsed.turns.map(({ contains, excludes, say, calls }) => ({ contains, excludes, say, inputs: calls.map((call) => call.inputText) }))).toEqual([
    { contains: [], excludes: [], say: "", inputs: ['{"command":"ls"}', "{}", "{"] },
    { contains: ["a"], excludes: ["b", "c"], say: "x", inputs: [] },
  ]);
});

test.each([
  ["no object", null, "the script"],
  ["an unknown protocol", { protocol: "gemini", turns: [turn] }, "protocol"],
  ["no turns", { protocol: "openai", turns: [] }, "turns"],
  ["an unknown key", { protocol: "openai", turns: [turn], approved: true }, "approved"],
  ["an unknown key in a turn", { protocol: "openai", turns: [{ ...turn, sleep: 1 }] }, "sleep"],
  ["a turn that does nothing", { protocol: "openai", turns: [{ when: { "result-contains": "a" } }] }, "needs say or calls"],
  ["a when without condition", { protocol: "openai", turns: [{ ...turn, when: {} }] }, "states no condition"],
  ["two kinds of input", { protocol: "openai", turns: [{ calls: [{ tool: "a", input: {}, "raw-input": "" }] }] }, "both input and raw-input"],
  ["input that is no object", { protocol: "openai", turns: [{ calls: [{ tool: "a", input: "ls" }] }] }, "turns.0.calls.0.input"],
])("refuses %s", (_what, value, word) => {
  expect(() => parseScript(value, "s.yaml")).toThrow(expect.objectContaining({ code: "bad-configuration", message: expect.stringContaining(word) }));
});

test("names file and line of each problem", () => {
  const lineOf = (path: readonly (string | number)[]) => (path[1] === 1 ? 7 : 2);
  expect(() => parseScript({ protocol: "openai", turns: [turn, { say: "" }] }, "s.yaml", lineOf)).toThrow(
    /^The script is not well formed\.\ns\.yaml:7: turns\.1\.say: /u,
  );
});

test("the example of the guide and the script of the demo are well formed", () => {
  const guide = readFileSync(new URL("../../../docs/guides/scripted-models.md", import.meta.url), "utf8");
  const example = /```yaml\n(.*?)```/su.exec(guide)?.[1] ?? "";
  const demo = readFileSync(new URL("../../../examples/demo/script.yaml", import.meta.url), "utf8");
  for (const source of [example, demo]) {
    const reading = readYaml("s.yaml", source);
    if ("diagnostics" in reading) throw new Error(JSON.stringify(reading.diagnostics));
    expect(parseScript(reading.text.value, "s.yaml").turns.length).toBeGreaterThanOrEqual(2);
  }
});
