import { describe, expect, test } from "vitest";
import { policyJsonSchema } from "../../../src/policy/language/schema.ts";
import { proposalsAt } from "../../../src/serve/lsp/completion.ts";

const NAMES = { policies: ["base", "unattended"], tools: ["read_file", "shell"] };

/** The labels where `|` stands. */
function labels(marked: string): readonly string[] {
  const [before = "", after = ""] = marked.split("|");
  const lines = before.split("\n");
  const place = { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
  return proposalsAt(before + after, place, policyJsonSchema(), NAMES).map(({ label }) => label);
}

describe("completion", () => {
  test.each([
    ["a key of the file", "version: 1\nname: x\n|", ["extends", "commands"], ["version", "name"]],
    ["a key that is begun", "version: 1\nname: x\ncomm|", ["commands"], []],
    ["a key in the middle of others", "version: 1\n|\nname: x\ncommands:\n  only: [ls]\n", ["extends"], ["name", "commands"]],
    ["a key of a section", "version: 1\ncommands:\n  |", ["rules", "effects"], ["version"]],
    ["a key of a rule", 'commands:\n  rules:\n    - id: a\n      allow: "ls"\n      |\n', ["because", "owner"], ["id", "allow"]],
    ["the first key of a rule", "commands:\n  rules:\n    - |", ["id", "because"], []],
    ["an effect", "commands:\n  effects:\n    |", ["runs-code", "deletes"], []],
    ["a key in flow style", "commands:\n  effects: { del| }\n", ["deletes"], []],
  ])("proposes %s", (_name, text, expected, absent) => {
    const found = labels(text);
    expect(found).toEqual(expect.arrayContaining(expected));
    for (const name of absent) expect(found).not.toContain(name);
  });

  test.each([
    ["a word of an enumeration", "version: 1\nautonomy: |", ["read-only", "supervised", "full"]],
    ["a decision", "commands:\n  effects:\n    deletes: a|\n", ["allow", "ask", "deny"]],
    ["what is shipped", "extends: |\nname: x\n", ["base", "unattended"]],
    ["a tool", "tools:\n  deny:\n    - |\n", ["read_file", "shell"]],
    ["yes and no", "commands:\n  block-high-risk: |", ["true", "false"]],
    ["a condition", "commands:\n  effects:\n    sends: { verdict: deny, when: | }\n", ["tainted", "sensitive", "always"]],
  ])("proposes %s", (_name, text, expected) => {
    expect(labels(text)).toEqual(expected);
  });

  test.each([
    ["in a comment", "# aut|"],
    ["in a text of several lines", "name: >\n  some\n  te|xt\n"],
    ["behind a value", "version: 1 |"],
    ["where the language has nothing", "nothing:\n  here:\n    |"],
    ["in what is no YAML", "{{{{|"],
  ])("proposes nothing %s", (_name, text) => {
    expect(labels(text)).toEqual([]);
  });
});
