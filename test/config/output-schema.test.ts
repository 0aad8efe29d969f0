import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { toInputSchema } from "../../src/tools/contract/json-schema.ts";
import { readOutputSchema } from "../../src/config/output-schema.ts";

const folder = mkdtempSync(join(tmpdir(), "warder-output-"));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (schema: unknown): ReturnType<typeof readOutputSchema> => {
  const file = join(folder, "schema.json");
  writeFileSync(file, typeof schema === "string" ? schema : JSON.stringify(schema));
  return readOutputSchema(file);
};
const of = (properties: object, more: object = {}) => read({ type: "object", properties, ...more });

test.each<[string, object, unknown, unknown]>([
  ["a text's length", { a: { type: "string", minLength: 2, maxLength: 3 } }, "ab", "a"],
  ["a pattern", { a: { type: "string", pattern: "^a" } }, "ab", "ba"],
  ["a number's limits", { a: { type: "number", minimum: 1, exclusiveMaximum: 3 } }, 2.5, 3],
  ["a whole number", { a: { type: "integer", multipleOf: 2 } }, 4, 4.5],
  ["a list", { a: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 2 } }, ["x"], []],
  ["a list's items", { a: { type: "array", items: { type: "boolean" } } }, [true], ["x"]],
  ["values that are listed", { a: { enum: ["x", 2] } }, 2, "2"],
  ["one value", { a: { const: 3 } }, 3, 4],
  ["alternatives", { a: { anyOf: [{ type: "string" }, { type: "null" }] } }, null, 3],
  [
    "an object in it",
    { a: { type: "object", properties: { b: { type: "string" } }, required: ["b"], additionalProperties: false } },
    { b: "x" },
    { b: "x", c: 1 },
  ],
  ["what else it may have", { a: { type: "object", additionalProperties: { type: "number" } } }, { x: 1 }, { x: "1" }],
])("checks %s", (_what, properties, right, wrong) => {
  const schema = of(properties, { required: ["a"] });
  expect(schema.safeParse({ a: right })).toEqual({ success: true, data: { a: right } });
  expect(schema.safeParse({ a: wrong }).success).toBe(false);
  expect(schema.safeParse({}).success).toBe(false);
});

test("keeps what is said about a value for the model", () => {
  expect(toInputSchema(of({ a: { type: "string", description: "Where." } }))).toMatchObject({ properties: { a: { type: "string", description: "Where." } } });
});

test.each<[string, unknown, string]>([
  ["no JSON", "{", "it is no JSON"],
  ["no object", { type: "array", items: {} }, "it is no schema of an object"],
  ["a keyword that is not checked", { type: "object", properties: { a: { type: "string", format: "email" } } }, 'a has "format", which would not be checked'],
  ["a keyword beside another type", { type: "object", properties: { a: { type: "number", minLength: 3 } } }, 'a has "minLength", which would not be checked'],
  ["a reference", { type: "object", properties: { a: { $ref: "#" } } }, "a needs one of type, enum, const and anyOf"],
  ["several types", { type: "object", properties: { a: { type: ["string", "null"] } } }, "a has a type that is not one name"],
  ["a type of every object", { type: "object", properties: { a: { type: "constructor" } } }, "a has a type that is not one name"],
  ["a list of anything", { type: "object", properties: { a: { type: "array" } } }, "a[] is no schema"],
  [
    "deep inside",
    { type: "object", properties: { a: { type: "array", items: { type: "object", properties: { b: { not: {} } } } } } },
    "a[].b needs one of type",
  ],
  ["a name that is required and not there", { type: "object", properties: {}, required: ["a"] }, "the whole requires what it does not name"],
  ["a limit that is no number", { type: "object", properties: { a: { type: "string", maxLength: "3" } } }, "a has a maxLength that is no number"],
  ["a pattern that is none", { type: "object", properties: { a: { type: "string", pattern: "(" } } }, "Invalid regular expression"],
  ["a property of every object", '{"type":"object","properties":{"__proto__":{"type":"string"}}}', "a property called __proto__"],
  ["a list of nothing", { type: "object", properties: { a: { enum: [] } } }, "a lists no texts or numbers"],
])("refuses %s", (_what, schema, problem) => {
  expect(() => read(schema)).toThrow(problem);
  expect(() => read(schema)).toThrow(expect.objectContaining({ code: "bad-configuration" }));
});

test("refuses what is nested without end, and a file that is not there", () => {
  const deep = (levels: number): object => (levels === 0 ? { type: "string" } : { type: "array", items: deep(levels - 1) });
  expect(() => of({ a: deep(40) })).toThrow("nested deeper than 24 levels");
  expect(() => readOutputSchema(join(folder, "nowhere.json"))).toThrow(expect.objectContaining({ code: "usage" }));
});
