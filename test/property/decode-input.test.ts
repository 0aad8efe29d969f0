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
    { numRuns: 500 },
  );
});

test("no key that a schema does not name is ever accepted", () => {
  fc.assert(
    fc.property(fc.constantFrom(...registry.toolDefinitions()), fc.string({ minLength: 1 }), (definition, key) => {
      const known = Object.keys(definition.inputSchema["properties"] as object);
      fc.pre(!known.includes(key) && !["cmd", "cwd", "file_path"].includes(key));
      const tool = registry.find(definition.name);
      if (!tool) throw new Error(`There is no tool ${definition.name}.`);
      const valid = {
        command: "ls",
        path: "a",
        content: "",
        old_string: "a",
        new_string: "b",
        pattern: "a",
        job: "job_1",
        artifact: "a",
        task: "a",
        plan: "a",
      };
      const needed = Object.fromEntries(Object.entries(valid).filter(([name]) => known.includes(name)));
      expect(decodeInput(tool, needed).kind).toBe("valid");
      expect(decodeInput(tool, { ...needed, [key]: true }).kind).toBe("invalid");
    }),
    { numRuns: 300 },
  );
});
