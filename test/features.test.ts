import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { behavioursIn, controlsIn } from "../toolbox/controls/lists.ts";

const root = new URL("../", import.meta.url);
const sections = readFileSync(new URL("docs/features.md", root), "utf8").split(/^## /mu);
const rowsOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| feature"))
    .map((line) => ({ line, cited: /^\| .+ \| `(test\/[a-z0-9./-]+\.ts)`: (.+) \|$/u.exec(line) }));
const rows = sections.flatMap(rowsOf);

test("the table of features is read", () => {
  expect(rows.length).toBeGreaterThan(40);
});

test.each(rows)("a test proves: $line", ({ cited }) => {
  const [, file = "", title = ""] = cited ?? [];
  expect(file, "the row names no test").not.toBe("");
  expect(existsSync(new URL(file, root)), `${file} is gone`).toBe(true);
  expect(readFileSync(new URL(file, root), "utf8")).toContain(title);
});

/** Of the agent, what each row promises was taken away and its test seen red. */
describe.each(["Tools", "Runs", "The conversation", "Sub-agents", "Plans", "Hooks", "The library", "Models"])("%s", (section) => {
  const checkout = fileURLToPath(root);
  const switches = [...controlsIn(checkout), ...behavioursIn(checkout)].flatMap(({ tests }) => tests);
  const stated = rowsOf(sections.find((text) => text.startsWith(`${section}\n`)) ?? "").filter(({ line }) => !line.includes("which the compiler checks"));

  test("has rows", () => {
    expect(stated.length).toBeGreaterThan(0);
  });

  test.each(stated)("is switched off: $line", ({ cited }) => {
    const [, file = "", title = ""] = cited ?? [];
    // The tests of a shared contract run in the files that call it.
    const calls = (path: string): boolean => readFileSync(new URL(path, root), "utf8").includes(`/${basename(file)}"`);
    const near = switches.filter((each) => (file.endsWith(".test.ts") ? each.file === file : calls(each.file)));
    // "." takes any title, and so proves none.
    const isCovered = near.some(({ name }) => name.replaceAll("\\", "").includes(title) || (name.length > 1 && new RegExp(name, "u").test(title)));
    expect(isCovered, `no list in test/behaviours takes it away, nor does test/controls.json: ${file}, ${title}`).toBe(true);
  });
});
