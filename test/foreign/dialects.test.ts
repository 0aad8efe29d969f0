import { assert, constantFrom, dictionary, jsonValue, oneof, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { agentOfEvent, DIALECTS, type AgentName } from "../../src/foreign/dialects.ts";
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
const writes = (tool: string, ...paths: readonly string[]) => ({ tool, requests: paths.map((path) => ({ kind: "write", path })) });
const connect = (host: string, port: number) => ({ kind: "connect", host, port });
const invoke = (tool: string) => ({ tool, requests: [{ kind: "invoke", tool }] });

describe("a call of Claude Code", () => {
  test.each([
    ["Bash", { command: "git status", description: "x" }, command("git status")],
    ["PowerShell", { command: "ls" }, command("ls")],
    ["Write", { file_path: "/repo/a", content: "" }, write("write_file", "/repo/a")],
    ["Write", { file_path: "../a/./b", content: "" }, write("write_file", "/repo/a/b")],
    ["Edit", { file_path: "~/a", old_string: "", new_string: "" }, writes("edit_file", "/home/ada/a", "/repo/src/~/a")],
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

const qwen = claude;
test.each([
  ["run_shell_command", { command: "ls", directory: "a" }, command("ls", "/repo/src/a")],
  ["edit", { file_path: "a" }, write("edit_file", "/repo/src/a")],
  ["read_file", { absolute_path: "/etc/passwd" }, read("read_file", "/etc/passwd")],
  [
    "read_file",
    { absolute_path: "a", file_path: "/b" },
    { tool: "read_file", requests: ["/b", "/repo/src/a"].map((path) => ({ kind: "read", path, isRecursive: false })) },
  ],
  ["mcp__github__create_issue", {}, invoke("github__create_issue")],
  ["something_new", {}, invoke("something_new")],
])("a call of Qwen Code: %s %j", (tool, input, meaning) => {
  expect(meaningOf("qwen", qwen(tool, input))).toEqual(meaning);
});

const cursor = (hook_event_name: string, more: object) => ({
  conversation_id: "s",
  generation_id: "g",
  hook_event_name,
  workspace_roots: ["/repo/src"],
  ...more,
});
const deletion = {
  tool: "edit_file",
  requests: [
    { kind: "write", path: "/repo/src/a b" },
    { kind: "command", text: "rm -- '/repo/src/a b'", cwd: "/repo/src" },
  ],
};
test.each([
  ["beforeShellExecution", { command: "ls", cwd: "/repo" }, command("ls", "/repo")],
  ["beforeShellExecution", { command: "ls", cwd: "" }, command("ls")],
  ["beforeMCPExecution", { tool_name: "create_issue", tool_input: '{"title":"x"}', command: "npx server" }, invoke("mcp__create_issue")],
  ["beforeReadFile", { file_path: "/etc/passwd", content: "" }, read("read_file", "/etc/passwd")],
  ["preToolUse", { tool_name: "Write", tool_input: { file_path: "a" } }, write("write_file", "/repo/src/a")],
  ["preToolUse", { tool_name: "Delete", tool_input: { path: "a b" } }, deletion],
  ["preToolUse", { tool_name: "Grep", tool_input: { pattern: "x" } }, read("grep_search", "/repo/src", true)],
  ["preToolUse", { tool_name: "SomethingNew", tool_input: {} }, invoke("SomethingNew")],
  ["preToolUse", { tool_name: "Write", tool_input: {} }, { problem: expect.stringContaining("file_path or path") as string }],
  ["preToolUse", { tool_name: "Write" }, { problem: expect.stringContaining("tool_input") as string }],
  // Each has an event of its own, so that it is judged once.
  ["preToolUse", { tool_name: "Shell", tool_input: { command: "ls" } }, { kind: "nothing" }],
  ["preToolUse", { tool_name: "MCP:create_issue", tool_input: {} }, { kind: "nothing" }],
  ["afterFileEdit", { file_path: "a" }, { kind: "nothing" }],
])("an event of Cursor: %s %j", (event, more, meaning) => {
  expect(meaningOf("cursor", cursor(event, more))).toEqual(meaning);
});

const copilot = (toolName: string, toolArgs: unknown, more: object = {}) => ({ sessionId: "s", timestamp: 1, cwd: "/repo/src", toolName, toolArgs, ...more });
const code = (tool_name: string, tool_input: unknown) => ({
  sessionId: "s",
  cwd: "/repo/src",
  hookEventName: "PreToolUse",
  tool_name,
  tool_input,
  tool_use_id: "t",
});
const UNREADABLE = { kind: "unreadable", problem: expect.stringContaining("cannot be read") as string };
test.each([
  ["copilot", copilot("bash", { command: "ls" }), command("ls")],
  ["copilot", copilot("bash", '{"command":"ls"}'), command("ls")],
  ["copilot", copilot("create", { path: "a", file_text: "" }), write("write_file", "/repo/src/a")],
  ["copilot", copilot("github-create_issue", {}), invoke("github-create_issue")],
  ["copilot", copilot("bash", "ls"), UNREADABLE],
  ["copilot", copilot("bash", { command: "ls" }, { toolResult: {} }), { kind: "nothing" }],
  ["copilot", claude("Bash", { command: "ls" }), command("ls")],
  ["copilot", code("run_in_terminal", { command: "ls" }), command("ls")],
  ["vscode", code("replace_string_in_file", { filePath: "a" }), write("edit_file", "/repo/src/a")],
  ["vscode", code("editFiles", { files: ["a", "/b"] }), { tool: "edit_file", requests: ["/repo/src/a", "/b"].map((path) => ({ kind: "write", path })) }],
  ["vscode", code("editFiles", { files: ["a", 5] }), { problem: expect.stringContaining("path") as string }],
  ["vscode", code("editFiles", { files: [] }), { problem: expect.stringContaining("list") as string }],
  ["vscode", code("fetch_webpage", { urls: ["https://a.example/"] }), { tool: "web_fetch", requests: [connect("a.example", 443)] }],
  ["vscode", copilot("bash", { command: "ls" }), command("ls")],
] as const)("an event for Copilot CLI or VS Code: %s %j", (agent, event, meaning) => {
  expect(meaningOf(agent, event)).toEqual(meaning);
});

const kiro = (tool_name: string, tool_input: unknown, hook_event_name = "preToolUse") => ({ hook_event_name, cwd: "/repo/src", tool_name, tool_input });
test.each([
  [kiro("execute_bash", { command: "ls" }), command("ls")],
  [kiro("shell", { command: "ls" }, "PreToolUse"), command("ls")],
  [kiro("fs_write", { command: "create", path: "a" }), write("write_file", "/repo/src/a")],
  [
    kiro("fs_read", {
      operations: [
        { mode: "Line", path: "a" },
        { mode: "Directory", path: "/b" },
        { mode: "Image", image_paths: ["/c"] },
      ],
    }),
    {
      tool: "read_file",
      requests: [
        { kind: "read", path: "/repo/src/a", isRecursive: false },
        { kind: "read", path: "/b", isRecursive: true },
        { kind: "read", path: "/c", isRecursive: false },
      ],
    },
  ],
  [kiro("fs_read", { operations: [{ mode: "Line", path: "a" }, {}] }), { problem: expect.stringContaining("path") as string }],
  [kiro("@github/create_issue", {}), invoke("github__create_issue")],
  [kiro("use_aws", {}), invoke("use_aws")],
  [kiro("fs_write", {}, "postToolUse"), { kind: "nothing" }],
])("an event of Kiro CLI: %j", (event, meaning) => {
  expect(meaningOf("kiro", event)).toEqual(meaning);
});

test.each([
  ["opencode", "bash", { command: "ls", workdir: "/a" }, command("ls", "/a")],
  ["opencode", "edit", { filePath: "a" }, write("edit_file", "/repo/src/a")],
  ["opencode", "github_create_issue", {}, invoke("github_create_issue")],
  ["pi", "write", { path: "a" }, write("write_file", "/repo/src/a")],
  ["pi", "find", { pattern: "x" }, read("glob_search", "/repo/src", true)],
  ["pi", "mcp__github__create_issue", {}, invoke("github__create_issue")],
] as const)("a call that a plugin hands on: %s %s %j", (agent, tool, input, meaning) => {
  expect(meaningOf(agent, claude(tool, input))).toEqual(meaning);
});

test.each([
  ["claude-code", claude("Bash", {})],
  ["codex", claude("Bash", {}, { turn_id: "u" })],
  ["gemini", gemini("glob", {})],
  ["qwen", claude("run_shell_command", {})],
  ["cursor", cursor("preToolUse", {})],
  ["copilot", copilot("bash", {})],
  ["vscode", code("read_file", {})],
  ["kiro", kiro("fs_read", {})],
  [null, { hook_event_name: 5 }],
  [null, {}],
] as const)("an event is known by its form: %s", (agent, event) => {
  expect(agentOfEvent(event as never)).toBe(agent);
});

describe.each(Object.entries(DIALECTS))("%s", (_name, dialect) => {
  const any = oneof(jsonValue(), constantFrom("PreToolUse", "BeforeTool", "preToolUse", "beforeShellExecution", "Bash", "/repo", "s", {}, { command: "ls" }));
  const common = ["session_id", "cwd", "hook_event_name", "tool_name", "tool_input", "tool_use_id", "mcp_context", "permission_mode", "__proto__"];
  const keys = constantFrom(...common, "conversation_id", "workspace_roots", "command", "sessionId", "hookEventName", "toolName", "toolArgs");

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

test("to an agent that closes without an answer, an allow is said in its words", () => {
  const allow = { verdict: "allow", reason: "r" } as const;
  expect(DIALECTS.cursor.answer(allow, {})).toEqual({ stdout: '{"permission":"allow"}\n', stderr: "", exitCode: 0 });
  expect(DIALECTS.opencode.answer(allow, {})).toMatchObject({ stdout: '{"decision":"allow","reason":"r"}\n', exitCode: 0 });
  expect(DIALECTS.copilot.answer({ verdict: "ask", reason: "r" }, copilot("bash", {}))).toEqual({
    stdout: '{"permissionDecision":"deny","permissionDecisionReason":"r"}\n',
    stderr: "r\n",
    exitCode: 2,
  });
  for (const name of ["qwen", "cursor", "copilot", "vscode", "kiro", "opencode", "pi"] as const)
    expect(DIALECTS[name].answer({ verdict: "ask", reason: "r" }, {})).toMatchObject({ exitCode: 2 });
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
