import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readCatalogue } from "../../src/mcp/catalogue.ts";
import { resultOf } from "../../src/mcp/result.ts";
import { modelSchema } from "../../src/mcp/schema.ts";
import { serverTool } from "../../src/mcp/tools.ts";
import { NOTES } from "./server-process.ts";

test("what a schema refers to is written out, what refers to itself is open, and its words are visible", () => {
  const node = { type: "object", properties: { next: { $ref: "#/$defs/node" }, word: { type: "string", description: "a\u202eb" } } };
  expect(
    modelSchema({
      type: "object",
      $schema: "x",
      properties: { first: { $ref: "#/$defs/node" }, list: { type: "array" }, $id: { type: "string" } },
      $defs: { node },
    }),
  ).toEqual({
    schema: {
      type: "object",
      properties: {
        first: { type: "object", properties: { next: {}, word: { type: "string", description: "a\\u{202e}b" } } },
        list: { type: "array", items: {} },
      },
    },
  });
});

test("what holds of arguments together is the server's to say, unless it names arguments of its own", () => {
  const properties = { mail: { type: "string" }, phone: { type: "string" } };
  const together = {
    allOf: [{ anyOf: [{ required: ["mail"] }, { required: ["phone"] }] }],
    if: { properties: { mail: { const: "" } } },
    // oxlint-disable-next-line unicorn/no-thenable -- A keyword of JSON Schema.
    then: { required: ["phone"] },
    not: { $ref: "#/$defs/both" },
  };
  const $defs = { both: { required: ["mail", "phone"] }, other: { properties: { fax: { type: "string" } } } };
  expect(modelSchema({ type: "object", properties, ...together, $defs })).toEqual({ schema: { type: "object", properties } });
  const reason = "its schema has `anyOf` at the top, which not every model takes";
  for (const one of [{ required: ["fax"] }, { $ref: "#/$defs/other" }, { allOf: [{ else: { properties: { fax: {} } } }] }])
    expect(modelSchema({ type: "object", properties, anyOf: [one], $defs })).toEqual({ reason });
  expect(modelSchema({ type: "object", anyOf: [{}] })).toEqual({ reason });
  expect(modelSchema({ type: "object", properties, $ref: "#/$defs/both", $defs })).toHaveProperty("reason");
});

test("any list of tools is read, and what is offered of it can be a tool", () => {
  const live = { call: () => Promise.reject(new Error("Nothing is called.")), close: () => Promise.resolve() };
  const name = fc.oneof(fc.constantFrom("a", "b", "__proto__", "shell"), fc.string());
  const schema = fc.oneof(
    fc.record({ type: fc.constantFrom("object", "array"), properties: fc.dictionary(fc.string(), fc.jsonValue()), required: fc.jsonValue() }),
    fc.jsonValue(),
  );
  const tool = fc.record({ name, description: fc.oneof(fc.string(), fc.jsonValue()), inputSchema: schema, annotations: fc.jsonValue() }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.array(fc.oneof(tool, fc.jsonValue()), { maxLength: 6 }), (listed) => {
      const { tools } = readCatalogue("notes", listed);
      for (const each of tools)
        expect(serverTool(NOTES, each, { live, mapping: null, canAsk: false, onAsked: () => undefined })?.name).toBe(`notes__${each.name}`);
    }),
    { numRuns: 200 },
  );
});

test("any answer is a result of plain parts from outside, whatever it says of itself", () => {
  const part = fc.record(
    {
      type: fc.constantFrom("text", "image", "audio", "resource", "resource_link", "x"),
      text: fc.jsonValue(),
      data: fc.jsonValue(),
      mimeType: fc.jsonValue(),
      uri: fc.jsonValue(),
      resource: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(part, fc.jsonValue()), { maxLength: 5 }), fc.jsonValue(), (content, structuredContent) => {
      const { content: parts, label } = resultOf({ content, structuredContent, isError: false });
      expect(label).toBe("untrusted");
      expect(parts.length).toBeGreaterThan(0);
    }),
    { numRuns: 200 },
  );
});

test("images, resources and links are shown or named, and a long answer is cut", () => {
  const png = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };
  const { content } = resultOf({
    content: [
      png,
      { ...png, mimeType: "image/svg+xml" },
      { type: "resource", resource: { uri: "note://1", text: "embedded" } },
      { type: "resource", resource: { uri: "note://2", blob: "AAAA" } },
      { type: "resource_link", name: "n", uri: "file:///etc/shadow" },
      { type: "audio" },
    ],
    isError: true,
  });
  expect(content).toEqual([
    { kind: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
    ...[
      "[an image (image/svg+xml) that cannot be shown]",
      "[resource note://1]\nembedded",
      "[resource note://2: 3 bytes of nothing, not shown]",
      "[a link: n at file:///etc/shadow]",
      "[sound (nothing) that cannot be heard]",
    ].map((text) => ({ kind: "text", text })),
  ]);
  const long = resultOf({ content: Array.from({ length: 300 }, () => ({ type: "text", text: "x".repeat(100_000) })), isError: false });
  expect(long.content).toContainEqual({ kind: "text", text: "[warder: the rest of the answer was left out]" });
  expect(long.content).toContainEqual({ kind: "text", text: "[warder: 100 more parts were left out]" });
  expect(JSON.stringify(long.content).length).toBeLessThan(4.3 * 1024 * 1024);
});
