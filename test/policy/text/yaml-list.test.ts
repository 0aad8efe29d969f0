import { describe, expect, test } from "vitest";
import { appendedToList, withoutItem } from "../../../src/policy/text/yaml-list.ts";

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
    ["at the end, as far in as the other keys", "  version: 1\n  name: a\n", 2, ["  commands:", "    rules:", "      - id: new", "        allow: git tag v?"]],
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

  test.each([
    ["ends its document", "version: 1\n...\n"],
    ["counts the empty lines at the end as a value", "commands:\n  rules:\n    - id: one\n      because: |+\n        x\n\n# and then\n"],
  ])("come nowhere where the text %s", (_what, text) => {
    expect(appendedToList(text, ["commands", "rules"], ENTRY)).toBeNull();
  });
});

describe("a list of a YAML text without an item", () => {
  const BEFORE = "rules:\n  - id: one\n    deny: x\n";
  const ITEM = "  # of this\n  - id: two # here\n    # in it\n    deny: y # too\n";

  test.each([
    ["as far in as the item", "  # behind\n"],
    ["further in than its keys", "      # behind\n"],
    ["further in, behind an empty line", "\n      # behind\n"],
    ["at the margin", "# behind\n"],
  ])("keeps a comment behind it that stands %s", (_where, comment) => {
    expect(withoutItem(`${BEFORE}${ITEM}${comment}b: 2\n`, { line: 5, column: 5 })).toBe(`${BEFORE}${comment}b: 2\n`);
  });

  test("loses all lines of a value that has several", () => {
    for (const value of [
      "|\n      y\n\n      # no comment",
      ">-\n      y",
      '"y\n      # no comment"',
      "{ a: 1, # one\n      b: 2 }",
      "\n      c:\n        - 1\n        - 2",
      "",
    ])
      expect(withoutItem(`${BEFORE}  - id: two\n    deny: ${value}\n  # next\n  - id: three\n`, { line: 4, column: 5 })).toBe(
        `${BEFORE}  # next\n  - id: three\n`,
      );
  });
});
