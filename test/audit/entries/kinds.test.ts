import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

test("every kind of record is in the documentation, by its name", () => {
  const kinds = new Set([...read("src/audit/entries/entry.ts").matchAll(/readonly kind: "([a-z-]+)"/gu)].map(([, kind]) => kind));
  const told = new Set([...read("docs/audit.md").matchAll(/`([a-z-]+)`/gu)].map(([, word]) => word));
  expect(kinds.size).toBeGreaterThan(25);
  expect([...kinds].filter((kind) => !told.has(kind))).toEqual([]);
});
