import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../", import.meta.url);
const table = readFileSync(new URL("docs/features.md", root), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| feature"));
const rows = table.map((line) => ({ line, cited: /^\| .+ \| `(test\/[a-z0-9./-]+\.ts)`: (.+) \|$/u.exec(line) }));

test("the table of features is read", () => {
  expect(rows.length).toBeGreaterThan(40);
});

test.each(rows)("a test proves: $line", ({ cited }) => {
  const [, file = "", title = ""] = cited ?? [];
  expect(file, "the row names no test").not.toBe("");
  expect(existsSync(new URL(file, root)), `${file} is gone`).toBe(true);
  expect(readFileSync(new URL(file, root), "utf8")).toContain(title);
});
