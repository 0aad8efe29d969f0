import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ROLES, TRAITS } from "../../src/programs/table.ts";

const page = readFileSync(new URL("../../docs/program-tables.md", import.meta.url), "utf8");

/** The words in the first cells of the page's tables. */
const explained = new Set(
  page
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => [...(line.split(" | ")[0] ?? "").matchAll(/`([^`]+)`/gu)].map(([, word]) => word)),
);

test("every role and every trait of a table is explained", () => {
  expect(ROLES.length).toBeGreaterThan(50);
  expect([...ROLES, ...TRAITS].filter((word) => !explained.has(word))).toEqual([]);
});
