import { expect, test } from "vitest";
import { createRegistry } from "../../src/tools/registry.ts";
import { decodeInput } from "../../src/tools/decode.ts";
import type { Tool } from "../../src/tools/contract/tool.ts";
import { mappingFor } from "../../src/mcp/mapping.ts";
import { serverTool } from "../../src/mcp/tools.ts";
import { NOTES } from "./server-process.ts";
import { policyOf, policyText } from "../policy/bench.ts";

const POLICY = policyOf(
  policyText(
    "tools:",
    "  mcp:",
    "    '@notes': { sends: [notes.example, 'notes.example:8443'] }",
    "    notes__move: { paths: { from: read, to: write, trees: tree }, hosts: [url], commands: [run] }",
    "    'notes__m*': { paths: { from: write } }",
  ),
);
const place = { server: "notes", roots: [], hosts: [], env: [] };
const live = { call: () => Promise.reject(new Error("Nothing is called.")), close: () => Promise.resolve() };
const string = { type: "string" };
const inputSchema = {
  type: "object",
  properties: { from: string, to: string, trees: { type: "array", items: string }, url: string, run: string },
  required: ["from"],
};
const made = serverTool(
  NOTES,
  { name: "move", description: "", inputSchema, annotations: { readOnlyHint: true } },
  { live, mapping: mappingFor(POLICY, "notes__move"), canAsk: false, onAsked: () => undefined },
);
if (made === null) throw new Error("Its schema is read.");
const move: Tool = made;
const SETTING = { workspace: "/project", home: "/home/ann" };
const problem = (input: Record<string, unknown>): string | null => {
  const decoded = decodeInput(move, input);
  return decoded.kind === "valid" ? null : decoded.message;
};

test("a call is what the policy says of its arguments, beside its name; of two statements the one that wants more holds", () => {
  const registered = createRegistry([], [], [move]).find("notes__move");
  const input = { from: "/project/a/../b", to: "/project/c", trees: ["/project/d", "/project/e"], url: "https://api.example:9/x", run: "rm -rf /" };
  expect(registered?.requests(input, SETTING)).toEqual([
    { kind: "invoke", tool: "notes__move" },
    { kind: "send", host: "notes.example", port: 443 },
    { kind: "send", host: "notes.example", port: 8443 },
    { kind: "server-path", use: "write", path: "/project/b", place },
    { kind: "server-path", use: "tree", path: "/project/d", place },
    { kind: "server-path", use: "tree", path: "/project/e", place },
    { kind: "server-path", use: "write", path: "/project/c", place },
    { kind: "connect", host: "api.example", port: 9 },
    { kind: "command", text: "rm -rf /", cwd: "/", place },
  ]);
  expect(registered?.traits.tier).toBe("danger");
});

test("what cannot be judged as the policy wants is not called", () => {
  for (const from of ["b", "~/b", "/a\0b", 7, { path: "/a" }, ["/a", 7]]) expect(problem({ from })).toMatch(/from/u);
  expect(problem({ from: "/a", url: "file:///etc/passwd" })).toMatch(/url must be an http or https address/u);
  expect(problem({ from: "/a", run: ["ls", 1] })).toMatch(/run must be/u);
  expect(problem({ from: "/a", url: "api.example" })).toBeNull();
});

test("arguments that the server's schema has not, lacks or types otherwise are refused before it hears of them", () => {
  expect(problem({ from: "/a", approved: true })).toBe("Invalid arguments for notes__move: there is no argument approved");
  expect(problem({ to: "/a" })).toBe("Invalid arguments for notes__move: from is missing");
  expect(problem({ from: "/a", trees: "/b" })).toBe("Invalid arguments for notes__move: trees must be of type array");
});
