import { readFileSync } from "node:fs";
import { readPolicyDocument } from "../../../src/policy/language/document.ts";
import { expect, test } from "vitest";
import { policyJsonSchema } from "../../../src/policy/language/schema.ts";

test("the published JSON Schema is the one that the loader uses (node scripts/schemas.ts)", () => {
  const published = readFileSync(new URL("../../../schemas/policy.schema.json", import.meta.url), "utf8");
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

test("thousands of keys that it does not know are read in a time that grows with them", { retry: 2 }, () => {
  // Eight times the keys take about eight times as long, and 64 times where each is held against all others.
  const shortestMs = (keys: number): number => {
    const text = `version: 1\nname: a\n${Array.from({ length: keys }, (_, index) => `k${index}: 1\n`).join("")}`;
    const times = Array.from({ length: 3 }, () => {
      const startedMs = performance.now();
      const read = readPolicyDocument("p.yaml", text);
      expect("diagnostics" in read ? read.diagnostics.length : 0).toBe(keys);
      return performance.now() - startedMs;
    });
    return Math.min(...times);
  };
  shortestMs(100);
  expect(shortestMs(8_000) / shortestMs(1_000)).toBeLessThan(24);
});

test.each([
  ["network: { registries: [npm] }\n", "`network` stands below `sandbox`: move it there."],
  ["sandbox: { autonomy: full }\n", "`autonomy` stands at the left edge, below no other key."],
  ["sandbox: { on-ask: park }\n", "`on-ask` stands below `unattended`: move it there."],
  ["netwrk: {}\n", "See docs/policy-language.md for the keys."],
])("a key in the wrong place is told where it stands: %j", (line, remedy) => {
  const read = readPolicyDocument("p.yaml", `version: 1\nname: a\n${line}`);
  expect("diagnostics" in read ? read.diagnostics.map((diagnostic) => diagnostic.remedy) : []).toEqual([remedy]);
});
