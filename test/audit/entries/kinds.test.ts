import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

test("every kind of record is in the documentation, by its name", () => {
  const files = globSync("src/audit/entries/*{entry,payload}.ts", { cwd: new URL("../../..", import.meta.url) });
  const kinds = new Set(files.flatMap((file) => [...read(file).matchAll(/readonly kind: "([a-z-]+)"/gu)].map(([, kind]) => kind)));
  const told = new Set([...read("docs/audit.md").matchAll(/`([a-z-]+)`/gu)].map(([, word]) => word));
  expect(kinds.size).toBeGreaterThan(40);
  expect([...kinds].filter((kind) => !told.has(kind))).toEqual([]);
});
