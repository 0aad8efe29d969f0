import { describe, expect, test } from "vitest";
import { appendedToList } from "../../../src/policy/text/yaml-list.ts";

const ENTRY = [["id: new", "allow: git tag v?"]];

describe("entries at the end of a list of a YAML text", () => {
  test.each([
    [
      "behind its last entry",
      "a: 1\ncommands:\n  rules:\n    - id: one # why\n      deny: x # here\n\n# and then\nb: 2\n",
      5,
      ["    - id: new", "      allow: git tag v?"],
    ],
    [
      "behind its last entry, with the dashes where the text has them",
      "commands:\n  rules:\n  - id: one\n  - id: two\n",
      4,
      ["  - id: new", "    allow: git tag v?"],
    ],
    ["in a list that is made", "commands:\n    # kept\n    only: [git]\nb: 2\n", 3, ["    rules:", "      - id: new", "        allow: git tag v?"]],
    [
      "in a list that is made behind a longer value",
      "commands:\n  effects:\n    sends: ask\n    deletes: deny\nb: 2\n",
      4,
      ["  rules:", "    - id: new", "      allow: git tag v?"],
    ],
    ["at the end, where nothing holds the list", "version: 1\nname: a\n# the end\n", 3, ["commands:", "  rules:", "    - id: new", "      allow: git tag v?"]],
    ["at the end of a text without a last line break", "commands:\n  rules:\n    - id: one", 3, ["    - id: new", "      allow: git tag v?"]],
  ])("come %s, and all else stays", (_where, text, line, added) => {
    const lines = (appendedToList(text, ["commands", "rules"], ENTRY) ?? "").split("\n");
    const more = lines.length - (text.endsWith("\n") ? text : `${text}\n`).split("\n").length;
    expect([...lines.slice(0, line), ...lines.slice(line + more)].join("\n")).toBe(text.endsWith("\n") ? text : `${text}\n`);
    expect(lines.slice(line, line + more)).toEqual(added);
  });

  test.each([
    ["the list", "commands:\n  rules: [{ id: one }]\n"],
    ["what holds it", "commands: { only: [git] }\n"],
    ["the whole file", "{ commands: { rules: [] } }\n"],
  ])("come nowhere where %s is written in brackets", (_what, text) => {
    expect(appendedToList(text, ["commands", "rules"], ENTRY)).toBeNull();
  });
});
