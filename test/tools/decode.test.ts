import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/tools/contract/define.ts";
import { decodeInput } from "../../src/tools/decode.ts";
import { createRegistry } from "../../src/tools/registry.ts";

const registry = createRegistry();

function decode(name: string, input: unknown) {
  const tool = registry.find(name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  return decodeInput(tool, input);
}

test("reads near-miss arguments, text numbers and nulls, in that order", () => {
  expect(decode("shell", { cmd: "ls", timeout_seconds: "5", working_dir: null })).toEqual({ kind: "valid", input: { command: "ls", timeout_seconds: 5 } });
  expect(decode("edit_file", { path: "a", old_string: "x", new_string: "y", replace_all: "true" })).toEqual({
    kind: "valid",
    input: { path: "a", old_string: "x", new_string: "y", replace_all: true },
  });
  // What another agent calls it has its own name before its text is read as a truth value, and before what is null is left out.
  expect(decode("edit_file", { path: "a", old_string: "x", new_string: "y", replaceAll: "true" })).toMatchObject({
    kind: "valid",
    input: { replace_all: true },
  });
  expect(decode("shell", { command: null, cmd: "ls" })).toMatchObject({ kind: "invalid" });
});

test("freezes what it decoded", () => {
  const decoded = decode("shell", { command: "ls" });
  expect(decoded.kind === "valid" && Object.isFrozen(decoded.input)).toBe(true);
});

test.each([
  ["an invented approval", "shell", { command: "ls", approved: true }, "approved"],
  ["a switch for the sandbox", "shell", { command: "ls", dangerouslyDisableSandbox: true }, "dangerouslyDisableSandbox"],
  ["a network wish", "shell", { command: "curl x", network: "host" }, "network"],
  ["a key that would be the prototype", "shell", JSON.parse('{"command":"ls","__proto__":{"command":"rm"}}'), "__proto__"],
  ["both the alias and the argument", "shell", { command: "ls", cmd: "rm -rf ." }, "cmd"],
  ["a time limit beyond ten minutes", "shell", { command: "ls", timeout_seconds: 601 }, "timeout_seconds"],
  ["no time at all", "shell", { command: "ls", timeout_seconds: 0 }, "timeout_seconds"],
  ["a number that means nothing", "shell", { command: "ls", timeout_seconds: "5s" }, "timeout_seconds"],
  ["an empty command", "shell", { command: "" }, "command"],
  ["a NUL in a command", "shell", { command: "ls\0rm" }, "NUL"],
  ["a NUL in a path", "read_file", { path: "a\0b" }, "NUL"],
  ["line zero", "read_file", { path: "a", offset: 0 }, "offset"],
  ["more than twenty files", "read_file", { files: Array.from({ length: 21 }, () => ({ path: "a" })) }, "files"],
  ["an unknown mode", "grep_search", { pattern: "a", mode: "exec" }, "mode"],
  ["a glob that takes others back", "glob_search", { pattern: "!*.ts" }, "must not begin with !"],
  ["more than the cap of matches", "grep_search", { pattern: "a", max_per_file: 31 }, "max_per_file"],
])("refuses %s", (_what, name, input, word) => {
  const decoded = decode(name, input);
  expect(decoded.kind).toBe("invalid");
  expect(decoded.kind === "invalid" && decoded.message).toContain(word);
});

test("says which argument is missing, and which there are", () => {
  const decoded = decode("write_file", { path: "a", body: "x" });
  expect(decoded).toEqual({
    kind: "invalid",
    message: "Invalid arguments for write_file: content is missing; there is no argument body. write_file takes: path, content.",
  });
});

test("keeps a null that the schema takes", () => {
  const schema = z.object({ note: z.string().nullable(), more: z.string().nullish(), left: z.string().optional() });
  const tool = defineTool({ name: "noted", description: "Notes.", schema, execute: () => "x" });
  expect(decodeInput(tool, { note: null, more: null, left: null, invented: null })).toEqual({ kind: "valid", input: { note: null, more: null } });
});

test.each([[null], ["ls"], [["ls"]], [7]])("refuses arguments that are no object: %j", (input) => {
  expect(decode("shell", input).kind).toBe("invalid");
});
