import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { policyJsonSchema } from "../../src/policy/schema.ts";

test("the published JSON Schema is the one that the loader uses (node scripts/schemas.ts)", () => {
  const published = readFileSync(new URL("../../schemas/policy.schema.json", import.meta.url), "utf8");
  expect(published).toBe(`${JSON.stringify(policyJsonSchema(), null, 2)}\n`);
});

test("it refuses keys that it does not know, at every depth", () => {
  const open: string[] = [];
  const walk = (node: unknown, at: string): void => {
    if (typeof node !== "object" || node === null) return;
    const schema = node as Record<string, unknown>;
    if (schema["type"] === "object" && schema["additionalProperties"] !== false && schema["propertyNames"] === undefined) open.push(at);
    for (const [key, value] of Object.entries(schema)) walk(value, `${at}/${key}`);
  };
  walk(policyJsonSchema(), "");
  expect(open).toEqual([]);
});
