import { assert, constantFrom, dictionary, jsonValue, oneof, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { DIALECTS, type AgentName } from "../../src/foreign/dialects.ts";
import type { HookEvent } from "../../src/foreign/dialect.ts";

const HOME = "/home/ada";
const claude = (tool_name: string, tool_input: unknown, more: object = {}) => ({
  session_id: "s",
  cwd: "/repo/src",
  hook_event_name: "PreToolUse",
  permission_mode: "default",
  tool_name,
  tool_input,
  tool_use_id: "t",
  ...more,
});
const gemini = (tool_name: string, tool_input: unknown, more: object = {}) => ({
  session_id: "s",
  cwd: "/repo/src",
  hook_event_name: "BeforeTool",
  tool_name,
  tool_input,
  ...more,
});

function meaningOf(agent: AgentName, event: object): unknown {
  const read = DIALECTS[agent].read(event as never, HOME);
  return read.kind === "call" ? read.meaning : read;
}

const command = (text: string, cwd = "/repo/src") => ({ tool: "shell", requests: [{ kind: "command", text, cwd }] });
const read = (tool: string, path: string, isRecursive = false) => ({ tool, requests: [{ kind: "read", path, isRecursive }] });
const write = (tool: string, path: string) => ({ tool, requests: [{ kind: "write", path }] });
const connect = (host: string, port: number) => ({ kind: "connect", host, port });
const invoke = (tool: string) => ({ tool, requests: [{ kind: "invoke", tool }] });

describe("a call of Claude Code", () => {
  test.each([
    ["Bash", { command: "git status", description: "x" }, command("git status")],
    ["PowerShell", { command: "ls" }, command("ls")],
    ["Write", { file_path: "/repo/a", content: "" }, write("write_file", "/repo/a")],
    ["Write", { file_path: "../a/./b", content: "" }, write("write_file", "/repo/a/b")],
    ["Edit", { file_path: "~/a", old_string: "", new_string: "" }, write("edit_file", "/home/ada/a")],
    ["NotebookEdit", { notebook_path: "/repo/a.ipynb" }, write("edit_file", "/repo/a.ipynb")],
    ["Read", { file_path: "/etc/passwd" }, read("read_file", "/etc/passwd")],
    ["Grep", { pattern: "x" }, read("grep_search", "/repo/src", true)],
    ["Glob", { pattern: "x", path: ".." }, read("glob_search", "/repo", true)],
    ["WebFetch", { url: "https://example.com/a" }, { tool: "web_fetch", requests: [connect("example.com", 443)] }],
    ["WebFetch", { url: "http://[::1]:8080/" }, { tool: "web_fetch", requests: [connect("::1", 8080)] }],
    ["Agent", { prompt: "look" }, { tool: "agent", requests: [{ kind: "delegate", task: "look" }] }],
    ["TodoWrite", { todos: [] }, { tool: "todo_write", requests: [] }],
    ["mcp__github__create_issue", {}, invoke("github__create_issue")],
    ["mcp__a__b__c", {}, invoke("a__b__c")],
    ["SomethingNew", {}, invoke("SomethingNew")],
    ["constructor", {}, invoke("constructor")],
  ])("%s %j", (tool, input, meaning) => {
    expect(meaningOf("claude-code", claude(tool, input))).toEqual(meaning);
  });

  test.each([
    ["Bash", {}],
    ["Bash", { command: 5 }],
    ["Bash", { command: "a\0b" }],
    ["Write", { content: "" }],
    ["Write", { file_path: "a\0b" }],
    ["Read", { file_path: ["/repo/a", "/etc/shadow"] }],
    ["WebFetch", { url: "file:///etc/passwd" }],
    ["WebFetch", { url: "nothing" }],
  ])("%s %j cannot be read, and says which argument", (tool, input) => {
    expect(meaningOf("claude-code", claude(tool, input))).toEqual({ problem: expect.stringMatching(/argument|address/u) as string });
  });

  test.each([
    [{}, true],
    [{ permission_mode: "plan" }, true],
    [{ permission_mode: "bypassPermissions" }, false],
    [{ permission_mode: "dontAsk" }, false],
  ])("in the mode %j is asked about where its person is sure to see it: %j", (more, canAsk) => {
    expect(DIALECTS["claude-code"].read(claude("Bash", { command: "ls" }, more), HOME)).toMatchObject({ kind: "call", canAsk });
  });

  test("other events decide nothing", () => {
    expect(DIALECTS["claude-code"].read(claude("Bash", {}, { hook_event_name: "PostToolUse" }), HOME)).toEqual({ kind: "nothing" });
  });
});

test.each([
  ["run_shell_command", { command: "ls", dir_path: "a" }, {}, command("ls", "/repo/src/a")],
  ["run_shell_command", { command: "ls" }, {}, command("ls")],
  ["replace", { file_path: "a" }, {}, write("edit_file", "/repo/src/a")],
  ["list_directory", {}, {}, read("list_files", "/repo/src", true)],
  [
    "web_fetch",
    { prompt: "sum up https://a.example/x and http://b.example:81" },
    {},
    { tool: "web_fetch", requests: [connect("a.example", 443), connect("b.example", 81)] },
  ],
  ["mcp_github_create_issue", {}, { mcp_context: { server_name: "github", tool_name: "create_issue" } }, invoke("github__create_issue")],
  ["web_fetch", { prompt: "sum up the news" }, {}, { problem: expect.stringContaining("addresses") as string }],
])("a call of Gemini CLI: %s %j", (tool, input, more, meaning) => {
  expect(meaningOf("gemini", gemini(tool, input, more))).toEqual(meaning);
});

describe.each(Object.entries(DIALECTS))("%s", (_name, dialect) => {
  const any = oneof(jsonValue(), constantFrom("PreToolUse", "BeforeTool", "Bash", "/repo", "s", {}, { command: "ls" }));
  const keys = constantFrom("session_id", "cwd", "hook_event_name", "tool_name", "tool_input", "tool_use_id", "mcp_context", "permission_mode", "__proto__");

  test("whatever it is sent, it is a call with a place, no call, or unreadable", () => {
    assert(
      property(dictionary(keys, any), (event) => {
        const read: HookEvent = dialect.read(event, HOME);
        const told = read.kind === "call" ? [read.cwd[0], typeof read.name, typeof read.session] : ["/", "string", "string"];
        expect(told).toEqual(["/", "string", "string"]);
        expect(["call", "nothing", "unreadable"]).toContain(read.kind);
      }),
      { numRuns: 300 },
    );
  });

  test("a denial blocks by its exit code, its words and standard error at once", () => {
    const said = dialect.answer({ verdict: "deny", reason: "because" }, {});
    expect(said).toMatchObject({ exitCode: 2, stderr: "because\n" });
    expect(said.stdout).toContain('"deny"');
    expect(said.stdout).toContain("because");
  });
});

test("only Claude Code is told to ask; to Codex and Gemini CLI an allow is silence", () => {
  const [ask, allow] = [{ verdict: "ask", reason: "r" } as const, { verdict: "allow", reason: "r" } as const];
  expect(DIALECTS["claude-code"].answer(ask, {})).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"ask"') as string });
  for (const name of ["codex", "gemini"] as const) {
    expect(DIALECTS[name].answer(ask, {})).toMatchObject({ exitCode: 2 });
    expect(DIALECTS[name].answer(allow, {})).toEqual({ stdout: "", stderr: "", exitCode: 0 });
    expect(DIALECTS[name].read((name === "codex" ? claude("Bash", { command: "ls" }) : gemini("glob", {})) as never, HOME)).toMatchObject({ canAsk: false });
  }
});
