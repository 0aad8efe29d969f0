import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeInput } from "../../src/tools/decode.ts";
import { createRegistry } from "../../src/tools/registry.ts";

const registry = createRegistry();
const setting = { workspace: "/repo", home: "/home/ada" };
const keys = [
  "command",
  "cmd",
  "cwd",
  "path",
  "file_path",
  "content",
  "pattern",
  "old_string",
  "new_string",
  "timeout_seconds",
  "offset",
  "__proto__",
  "constructor",
  "approved",
  "toString",
];
const input = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(fc.constantFrom(...keys), fc.oneof(fc.jsonValue(), fc.string({ unit: "binary" }), fc.constantFrom("5", "true", "~/x", "../..", "a\0b", null))),
);

test("any JSON is decoded or refused, and what is decoded states absolute, normalised paths only", () => {
  fc.assert(
    fc.property(fc.constantFrom(...registry.names), input, (name, value) => {
      const tool = registry.find(name);
      if (!tool) throw new Error(`There is no tool ${name}.`);
      const decoded = decodeInput(tool, value);
      for (const request of decoded.kind === "valid" ? tool.requests(decoded.input, setting) : []) {
        const path = request.kind === "command" ? request.cwd : "path" in request ? request.path : null;
        if (path === null) continue;
        expect(path).toMatch(/^\//u);
        expect(path.split("/").slice(1)).not.toContain("..");
        expect(path.split("/")).not.toContain(".");
        expect(path).not.toContain("\0");
      }
    }),
    { numRuns: 2_000 },
  );
});

type Schema = {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minimum?: number;
};

/** The least that a schema takes. */
function least(schema: Schema): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.anyOf !== undefined) return least(schema.anyOf[0] ?? {});
  if (schema.type === "object") return Object.fromEntries((schema.required ?? []).map((name) => [name, least(schema.properties?.[name] ?? {})]));
  if (schema.type === "array") return Array.from({ length: schema.minItems ?? 0 }, () => least(schema.items ?? {}));
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 1;
  return schema.type === "boolean" ? true : "a";
}

/** What a tool wants beside the fields that its schema demands, or in another form. */
const FURTHER: Readonly<Record<string, object>> = {
  apply_patch: { patch: "*** Begin Patch\n*** Delete File: a\n*** End Patch" },
  browser: { action: "open", url: "https://a.example/" },
  code_rewrite: { paths: ["a.ts"], pattern: "a", rewrite: "b" },
  edit_file: { old_string: "a", new_string: "b" },
  http_request: { url: "https://a.example/" },
  language_server: { operation: "diagnostics", path: "a.ts" },
  notebook_edit: { path: "a.ipynb", cell_number: 0, source: "a" },
  read_file: { path: "a" },
  read_job: { job: "job_1" },
  rename_symbol: { path: "a.ts", name: "a", new_name: "b", paths: ["a.ts"] },
  stop_job: { job: "job_1" },
  web_fetch: { url: "https://a.example/" },
};

test.each(registry.toolDefinitions().map((definition) => [definition.name, definition] as const))(
  "%s: no key that a schema does not name is accepted",
  (name, definition) => {
    const tool = registry.find(name);
    if (!tool) throw new Error(`There is no tool ${name}.`);
    const needed = { ...(least(definition.inputSchema) as object), ...FURTHER[name] };
    expect(decodeInput(tool, needed)).toMatchObject({ kind: "valid" });
    const known = Object.keys(definition.inputSchema["properties"] as object);
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (key) => {
        // Another agent's name of an argument is this tool's, and what a model only says about its call is dropped.
        fc.pre(!known.includes(key) && (tool.prepare === undefined || Object.hasOwn(tool.prepare({ [key]: true }), key)));
        expect(decodeInput(tool, { ...needed, [key]: true }).kind).toBe("invalid");
      }),
      { numRuns: 50 },
    );
  },
);
