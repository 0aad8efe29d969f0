import { expect, test } from "vitest";
import { applyEdits } from "../../../src/tools/files/edits.ts";

test("makes several changes, each on what the one before left", () => {
  expect(
    applyEdits("a\nb\nc\n", [
      { old_string: "a", new_string: "A" },
      { old_string: "A\nb", new_string: "B" },
      { insert_line: 1, new_string: "new" },
    ]),
  ).toMatchObject({ kind: "edited", text: "B\nnew\nc\n", replaced: 2, inserted: 1 });
});

test("makes none of them when one cannot be made, and says which", () => {
  const edited = applyEdits("a\nb\n", [
    { old_string: "a", new_string: "A" },
    { old_string: "missing", new_string: "x" },
  ]);
  expect(edited).toMatchObject({ kind: "refused", problem: expect.stringMatching(/^Edit 2 of 2: old_string does not occur.*Nothing was changed\.$/u) });
});

test.each([
  ["at the top", "a\nb\n", 0, "x", "x\na\nb\n"],
  ["after a line", "a\nb\n", 1, "x\ny\n", "a\nx\ny\nb\n"],
  ["at the end", "a\nb\n", 2, "x", "a\nb\nx\n"],
  ["behind a line without an end", "a\nb", 2, "x", "a\nb\nx"],
  ["in an empty file", "", 0, "x", "x\n"],
  ["with the file's line endings", "a\r\nb\r\n", 1, "x\ny", "a\r\nx\r\ny\r\nb\r\n"],
])("inserts lines %s", (...[, text, line, added, after]) => {
  expect(applyEdits(text, [{ insert_line: line, new_string: added }])).toMatchObject({ kind: "edited", text: after });
});

test("inserts nothing behind the last line", () => {
  expect(applyEdits("a\n", [{ insert_line: 2, new_string: "x" }])).toMatchObject({ kind: "refused", problem: expect.stringContaining("the file has 1 lines") });
});

test("shows each change as a hunk, and as many as fit", () => {
  const text = Array.from({ length: 300 }, (_, index) => `line ${index}.\n`).join("");
  const edits = Array.from({ length: 100 }, (_, index) => ({ old_string: `line ${index}.`, new_string: `LINE ${index}.` }));
  const edited = applyEdits(text, edits);
  const diff = edited.kind === "edited" ? edited.diff : "";
  expect(diff.match(/^@@ /gmu)).toHaveLength(5);
  expect(diff).toContain("[95 more changes]");
});
