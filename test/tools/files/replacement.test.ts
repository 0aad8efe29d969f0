import * as fc from "fast-check";
import { expect, test } from "vitest";
import { describeChange } from "../../../src/tools/files/diff.ts";
import { replaceExactly } from "../../../src/tools/files/replacement.ts";

const one = (from: string, to: string) => ({ from, to, isAll: false });

test("replaces the only occurrence", () => {
  expect(replaceExactly("a b c", one("b", "B"))).toEqual({ kind: "replaced", text: "a B c", count: 1 });
});

test("takes a dollar sign in the new text as it is", () => {
  expect(replaceExactly("price: X", one("X", "$& $1 $$"))).toEqual({ kind: "replaced", text: "price: $& $1 $$", count: 1 });
});

test("does not choose among several occurrences, and says where they are", () => {
  expect(replaceExactly("x\na\nx\nx", one("x", "y"))).toEqual({ kind: "ambiguous", count: 3, lines: [1, 3, 4] });
});

test("replaces all when asked", () => {
  expect(replaceExactly("x a x", { from: "x", to: "yy", isAll: true })).toEqual({ kind: "replaced", text: "yy a yy", count: 2 });
});

test("points at the line that was probably meant", () => {
  const text = "import x\nfunction add(first, second) {\n  return first - second;\n}\n";
  expect(replaceExactly(text, one("    return first + second;", "y"))).toEqual({ kind: "absent", nearest: { line: 3, text: "  return first - second;" } });
  expect(replaceExactly(text, one("SELECT * FROM users", "y"))).toEqual({ kind: "absent", nearest: null });
});

test("keeps CRLF where a model wrote LF", () => {
  expect(replaceExactly("a\r\nb\r\nc\r\n", one("a\nb\n", "a\nB\nB2\n"))).toEqual({ kind: "replaced", text: "a\r\nB\r\nB2\r\nc\r\n", count: 1 });
});

test("touches nothing but the text in a file of mixed line endings", () => {
  expect(replaceExactly("a\r\nb\nc\r\n", one("b\n", "B\n"))).toEqual({ kind: "replaced", text: "a\r\nB\nc\r\n", count: 1 });
});

test("replacing and replacing back gives the same file", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      const text = `${before}<<<old>>>${after}`;
      const there = replaceExactly(text, one("<<<old>>>", "<<<new>>>"));
      fc.pre(there.kind === "replaced");
      expect(replaceExactly(there.kind === "replaced" ? there.text : "", one("<<<new>>>", "<<<old>>>"))).toEqual({ kind: "replaced", text, count: 1 });
    }),
  );
});

test("describes a change as one hunk with its surroundings", () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  expect(describeChange(before, before.replace("5", "five"))).toBe("@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8");
  expect(describeChange("", "a\nb\n")).toBe("@@ -1,0 +1,2 @@\n+a\n+b");
  expect(describeChange("same", "same")).toBe("(no change)");
});

test("bounds the description of a large change", () => {
  const text = describeChange("", "line\n".repeat(1000));
  expect(text.split("\n").length).toBe(62);
  expect(text).toContain("[940 more lines]");
});

/** The same of whole lists of lines, which for a file of 10 MiB take a gigabyte. */
function plainDescription(before: string, after: string): string {
  const lines = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
  const [old, fresh] = [lines(before), lines(after)];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const [from, until] = [Math.max(0, start - 3), Math.max(0, end - 3)];
  const hunk = [
    ...old.slice(from, start).map((line) => ` ${line}`),
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...fresh.slice(start, fresh.length - end).map((line) => `+${line}`),
    ...old.slice(old.length - end, old.length - until).map((line) => ` ${line}`),
  ].map((line) => line.replace(/\r?\n$/u, ""));
  return [`@@ -${from + 1},${old.length - until - from} +${from + 1},${fresh.length - until - from} @@`, ...hunk].join("\n");
}

test("describes every change as a comparison of all lines would", () => {
  const text = fc.array(fc.constantFrom("a", "b", "\n", "a\n", "\r\n"), { maxLength: 14 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, text, text, text, (head, one, other, tail) => {
      const [before, after] = [head + one + tail, head + other + tail];
      fc.pre(before !== after);
      expect(describeChange(before, after)).toBe(plainDescription(before, after));
    }),
    { numRuns: 500 },
  );
});

test("replaces nothing where the file would grow beyond what is written, whatever it would grow to", () => {
  const text = "a\n".repeat(1_000_000);
  expect(replaceExactly(text, { from: "a", to: "b".repeat(1024 * 1024), isAll: true })).toEqual({ kind: "too-long" });
  expect(replaceExactly(text, { from: "a", to: "b".repeat(20), isAll: true })).toEqual({ kind: "too-long" });
});

test("says of a million places where the first ones are", () => {
  const found = replaceExactly("x\n".repeat(1_000_000), one("x", "y"));
  expect(found).toMatchObject({ kind: "ambiguous", count: 1_000_000 });
  expect(found.kind === "ambiguous" && found.lines).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
});
