import { expect, test } from "vitest";
import { decodeInput } from "../../src/tools/decode.ts";
import { createRegistry } from "../../src/tools/registry.ts";

const setting = { workspace: "/repo", home: "/home/ada" };

function requests(name: string, input: Record<string, unknown>) {
  const tool = createRegistry().find(name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  const decoded = decodeInput(tool, input);
  if (decoded.kind === "invalid") throw new Error(decoded.message);
  return tool.requests(decoded.input, setting);
}

test("a command is requested with the directory it runs in", () => {
  expect(requests("shell", { command: "ls" })).toEqual([{ kind: "command", text: "ls", cwd: "/repo" }]);
  expect(requests("shell", { command: "ls", working_dir: "src/../../etc" })).toEqual([{ kind: "command", text: "ls", cwd: "/etc" }]);
});

test.each([
  ["repl", { language: "python", code: "print('a', \"b\")\n" }, String.raw`python3 -c 'print('\''a'\'', "b")` + "\n'"],
  ["repl", { language: "node", code: "-1" }, "node -e ' -1'"],
  ["repl", { language: "sh", code: "cat ~/.ssh/id_rsa" }, "sh -c 'cat ~/.ssh/id_rsa'"],
  ["powershell", { command: "Get-ChildItem $HOME" }, "pwsh -NoLogo -NoProfile -NonInteractive -Command 'Get-ChildItem $HOME'"],
])("%s of %j asks for the very command that does the same in the shell", (name, input, command) => {
  expect(requests(name, input)).toEqual(requests("shell", { command }));
  expect(requests(name, { ...input, working_dir: "src" })).toEqual(requests("shell", { command, working_dir: "src" }));
});

test("code is too long where its quotes make it so", () => {
  const tool = createRegistry().find("repl");
  if (tool === undefined) throw new Error("There is no repl.");
  const decoded = decodeInput(tool, { language: "sh", code: "'".repeat(20_000) });
  expect(decoded).toMatchObject({ kind: "invalid", message: expect.stringContaining("with its quotes it has 80008 characters") });
});

test("a read names the path that it will open, whatever way it is written", () => {
  expect(requests("read_file", { path: "a/./b//c" })).toEqual([{ kind: "read", path: "/repo/a/b/c", isRecursive: false }]);
  expect(requests("read_file", { path: "../x" })).toEqual([{ kind: "read", path: "/x", isRecursive: false }]);
  expect(requests("read_file", { path: "~/.ssh/id_rsa" })).toEqual([{ kind: "read", path: "/home/ada/.ssh/id_rsa", isRecursive: false }]);
  expect(requests("read_file", { path: "/etc/shadow" })).toEqual([{ kind: "read", path: "/etc/shadow", isRecursive: false }]);
});

test("variables and other people's homes are not expanded", () => {
  expect(requests("read_file", { path: "$HOME/x" })).toEqual([{ kind: "read", path: "/repo/$HOME/x", isRecursive: false }]);
  expect(requests("read_file", { path: "~root/x" })).toEqual([{ kind: "read", path: "/repo/~root/x", isRecursive: false }]);
});

test.each([
  ["write_file", { path: "a", content: "" }],
  ["edit_file", { path: "a", old_string: "x", new_string: "y" }],
])("%s requests the read that it compares with, and the write", (name, input) => {
  expect(requests(name, input)).toEqual([
    { kind: "read", path: "/repo/a", isRecursive: false },
    { kind: "write", path: "/repo/a" },
  ]);
});

test("a search reads everything below its path, a listing only when it descends", () => {
  expect(requests("grep_search", { pattern: "x" })).toEqual([{ kind: "read", path: "/repo", isRecursive: true }]);
  expect(requests("list_files", {})).toEqual([{ kind: "read", path: "/repo", isRecursive: false }]);
  expect(requests("list_files", { path: "src", depth: 2 })).toEqual([{ kind: "read", path: "/repo/src", isRecursive: true }]);
});

test("code reads below its path, a rewrite states each file once, and a language server is a command", () => {
  const command = { kind: "command", text: "node_modules/.bin/tsc --lsp --stdio", cwd: "/repo" };
  const file = { kind: "read", path: "/repo/a.ts", isRecursive: false };
  const changes = ["/repo/a.ts", "/repo/b.ts"].flatMap((path) => [
    { kind: "read", path, isRecursive: false },
    { kind: "write", path },
  ]);
  expect(requests("code", { operation: "outline", path: "src" })).toEqual([{ kind: "read", path: "/repo/src", isRecursive: true }]);
  expect(requests("code_rewrite", { paths: ["a.ts", "./a.ts", "b.ts"], pattern: "f($A)", rewrite: "g($A)" })).toEqual(changes);
  expect(requests("language_server", { operation: "diagnostics", path: "a.ts" })).toEqual([file, command]);
  expect(requests("language_server", { operation: "diagnostics", path: "a.txt" })).toEqual([{ ...file, path: "/repo/a.txt" }]);
  expect(requests("rename_symbol", { path: "a.ts", name: "f", new_name: "g", paths: ["b.ts", "a.ts"] })).toEqual([command, ...changes]);
  expect(() => requests("code", { operation: "references", name: "f\ng" })).toThrow("name: must be in one line");
});
