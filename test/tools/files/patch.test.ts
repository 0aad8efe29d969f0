import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readPatch } from "../../../src/tools/files/patch.ts";
import { patchText } from "../../../src/tools/files/patched-text.ts";

function applied(text: string, patch: string): string {
  const read = readPatch(patch);
  if (read.kind === "problem") throw new Error(read.problem);
  const [operation] = read.operations;
  if (operation?.kind !== "update") throw new Error("It updates nothing.");
  const made = patchText(text, operation.hunks, read.matching);
  return made.kind === "patched" ? made.text : `hunk ${made.hunk}: ${made.problem}`;
}

const marked = (...lines: readonly string[]) => ["*** Begin Patch", "*** Update File: f", ...lines, "*** End Patch"].join("\n");
const unified = (...lines: readonly string[]) => ["--- a/f", "+++ b/f", ...lines, ""].join("\n");

test("the marked form adds, updates, moves and deletes", () => {
  const patch =
    "*** Begin Patch\n*** Add File: new.txt\n+one\n+\n*** Update File: a.py\n*** Move to: b.py\n@@ def f():\n-  x\n+  y\n*** Delete File: old.txt\n*** End Patch\n";
  expect(readPatch(patch)).toMatchObject({
    kind: "patch",
    matching: "loose",
    operations: [
      { kind: "add", path: "new.txt", text: "one\n\n" },
      { kind: "update", path: "a.py", moveTo: "b.py", hunks: [{ anchors: ["def f():"] }] },
      { kind: "delete", path: "old.txt" },
    ],
  });
  expect(readPatch(`\`\`\`diff\n${patch}\`\`\`\n`)).toEqual(readPatch(patch));
  expect(readPatch(`apply_patch <<'EOF'\n${patch}EOF\n`)).toEqual(readPatch(patch));
});

test("git's form adds, updates, moves and deletes", () => {
  const patch =
    "diff --git a/n b/n\nnew file mode 100644\nindex 0000000..1\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n" +
    "diff --git a/o b/o\ndeleted file mode 100644\n--- a/o\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n" +
    "diff --git a/from b/to\nsimilarity index 90%\nrename from from\nrename to to\n--- a/from\n+++ b/to\n@@ -1 +1 @@\n-x\n+y\n" +
    "diff --git a/p b/q\nsimilarity index 100%\nrename from p\nrename to q\n";
  expect(readPatch(patch)).toMatchObject({
    matching: "exact",
    operations: [
      { kind: "add", path: "n", text: "one\ntwo" },
      { kind: "delete", path: "o" },
      { kind: "update", path: "from", moveTo: "to" },
      { kind: "update", path: "p", moveTo: "q", hunks: [] },
    ],
  });
});

test.each([
  ["an anchor chooses the place", "class A\n  x\nclass B\n  x\n", marked("@@ class B", "-  x", "+  y"), "class A\n  x\nclass B\n  y\n"],
  ["spaces at the end may differ", "a  \nb\n", marked("@@", " a", "-b", "+c"), "a  \nc\n"],
  ["indentation may differ, and the file's context stays", "\ta\n\tb\n", marked(" a", "-b", "+\tc"), "\ta\n\tc\n"],
  ["quotes and dashes may differ", "say \u201Chi\u201D \u2013 now\n", marked('-say "hi" - now', "+x"), "x\n"],
  ["the end is the end", "x\ny\nx\n", marked("@@", "-x", "+z", "*** End of File"), "x\ny\nz\n"],
  ["lines are added at the end", "a", marked("@@", "+b"), "a\nb\n"],
  ["CRLF stays", "a\r\nb\r\n", marked("@@", " a", "-b", "+c"), "a\r\nc\r\n"],
  ["an offset is found", "0\n0\na\nb\nc\n", unified("@@ -1,3 +1,3 @@", " a", "-b", "+B", " c"), "0\n0\na\nB\nc\n"],
  ["the nearest place is meant", "x\ny\nx\ny\nx\n", unified("@@ -3 +3 @@", "-x", "+X"), "x\ny\nX\ny\nx\n"],
  ["two outer lines may differ", "1\n2\n3\nold\n5\n", unified("@@ -1,5 +1,5 @@", " one", " two", " 3", "-old", "+new", " five"), "1\n2\n3\nnew\n5\n"],
  ["a line is added after the line of the numbers", "1\n2\n", unified("@@ -1,0 +2 @@", "+x"), "1\nx\n2\n"],
  ["the last line ending goes", "a\nb\n", unified("@@ -1,2 +1,2 @@", " a", "-b", "+c", "\\ No newline at end of file"), "a\nc"],
  ["the last line ending comes", "a\nb", unified("@@ -1,2 +1,2 @@", " a", "-b", "\\ No newline at end of file", "+c"), "a\nc\n"],
  ["a removed line looks like a header", "-- x\n++ y\nz\n", unified("@@ -1,3 +1,1 @@", "--- x", "-++ y", " z"), "z\n"],
  ["without numbers the context decides", "a\nb\n", unified("@@ @@", " a", "-b", "+c"), "a\nc\n"],
])("%s", (...[, text, patch, after]) => {
  expect(applied(text, patch)).toBe(after);
});

test.each([
  ["no lines like these", marked("@@", "-missing", "+x"), 'hunk 1: its lines, from "missing" on'],
  ["no such anchor", marked("@@ missing", "-a", "+x"), 'hunk 1: no line below the place before is "missing"'],
  ["the second hunk above the first", marked("@@", "-b", "+B", "@@", "-a", "+A"), "hunk 2:"],
  ["indentation that differs, in git's form", unified("@@ -1 +1 @@", "- a", "+x"), "hunk 1:"],
  ["three lines that differ", unified("@@ -1,4 +1,4 @@", " x", " y", " z", "-a", "+A"), "hunk 1:"],
])("no place is made up: %s", (...[, patch, problem]) => {
  expect(applied("a\nb\n", patch)).toContain(problem);
});

test.each([
  ["", "there is no patch"],
  ["hello", "there is no patch"],
  ["*** Begin Patch\n*** Update File: a\n@@\n-x\n", 'does not end with "*** End Patch"'],
  ["*** Begin Patch\n*** End Patch", "there is no patch"],
  ["*** Begin Patch\n*** Add File: a\nno plus\n*** End Patch", "begins with +"],
  ["*** Begin Patch\n*** Update File:\n@@\n-x\n*** End Patch", "there is no path"],
  ["*** Begin Patch\n*** Update File: a\n*** End Patch", "nothing is changed in a"],
  ["*** Begin Patch\n*** Frobnicate File: a\n*** End Patch", "a file begins with"],
  ["--- a/f\n+++ b/f\n@@ -1,2 +1,1 @@\n-x\n", "fewer lines than its numbers say"],
  ["--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-x\n-y\n+z\n", "more lines than its numbers say"],
  ["--- a/f\n+++ b/f\n", "no hunk"],
  ["--- a/f\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n", "it names two files"],
  ["diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n", "makes or deletes a link"],
  ["diff --git a/e b/e\ndeleted file mode 100644\nindex e69de29..0000000\n", "it deletes an empty file"],
  ["diff --git a/s b/s\nold mode 100644\nnew mode 100755\n", "modes and copies"],
  ["diff --git a/b b/b\nGIT binary patch\nliteral 1\n", "binary file"],
  ['--- "a/\\303"\n+++ "b/\\303"\n@@ -1 +1 @@\n-x\n+y\n', "a path in quotes"],
  ["*** Begin Patch\n" + "*** Delete File: a\n".repeat(101) + "*** End Patch", "101 files, of at most 100"],
])("what is no patch is refused: %j", (text, problem) => {
  expect(readPatch(text)).toMatchObject({ kind: "problem", problem: expect.stringContaining(problem) });
});

test("what was made of two texts makes one of the other", () => {
  const line = fc.constantFrom("a", "b", "c", " d", "");
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 12 }),
      fc.array(line, { minLength: 1, maxLength: 12 }),
      fc.array(line, { minLength: 1, maxLength: 12 }),
      (head, old, made) => {
        const [before, after] = [`${[...head, ...old].join("\n")}\n`, `${[...head, ...made].join("\n")}\n`];
        const lines = [...head.map((text) => ` ${text}`), ...old.map((text) => `-${text}`), ...made.map((text) => `+${text}`)];
        const numbers = `@@ -1,${head.length + old.length} +1,${head.length + made.length} @@`;
        expect(applied(before, unified(numbers, ...lines))).toBe(after);
      },
    ),
  );
});

test("a file and a patch that repeat themselves end in time", () => {
  const text = "a\n".repeat(500_000);
  expect(applied(text, marked("@@", ...Array.from({ length: 900 }, () => " a"), "-b", "+c"))).toContain("repeat themselves too much");
});
