import { expect, test } from "vitest";
import { AgentError } from "../../src/base/errors.ts";
import { TOOL_NAMES } from "../../src/policy/tool-names.ts";
import { BUILT_IN_TOOLS, createRegistry } from "../../src/tools/registry.ts";
import { shellTool } from "../../src/tools/commands/shell.ts";
import type { Tool } from "../../src/tools/contract/tool.ts";

const tool = (name: string, aliases: readonly string[]) => ({ ...shellTool, name, aliases }) as unknown as Tool<never>;

test("offers the built-in tools under their canonical names, sorted", () => {
  expect(createRegistry().names).toEqual([
    "agent",
    "agent_apart",
    "agent_crew",
    "agent_merge",
    "apply_patch",
    "ask_user",
    "browser",
    "code",
    "code_rewrite",
    "config",
    "cron_add",
    "cron_list",
    "cron_remove",
    "edit_file",
    "glob_search",
    "grep_search",
    "http_request",
    "language_server",
    "list_files",
    "list_jobs",
    "memory_forget",
    "memory_recall",
    "memory_store",
    "notebook_edit",
    "powershell",
    "read_artifact",
    "read_file",
    "read_job",
    "rename_symbol",
    "repl",
    "script",
    "send_user_message",
    "shell",
    "skill",
    "sleep",
    "start_job",
    "stop_job",
    "todo_write",
    "web_fetch",
    "web_search",
    "write_file",
  ]);
});

test("policies know these names, and no others but those of a wanted result and of a plan", () => {
  expect(Object.keys(TOOL_NAMES)).toEqual([...createRegistry().names, "structured_output", "plan_done", "tool_search"].toSorted());
});

test.each([
  ["bash", "shell"],
  ["execute_cmd", "shell"],
  ["read", "read_file"],
  ["fs_read", "read_file"],
  ["file_read", "read_file"],
  ["fs_write", "write_file"],
  ["file_write", "write_file"],
  ["glob", "glob_search"],
  ["grep", "grep_search"],
  ["search", "grep_search"],
  ["pwsh", "powershell"],
  ["Read", "read_file"],
  ["LS", "list_files"],
  ["MultiEdit", "edit_file"],
  ["run_shell_command", "shell"],
  ["str_replace", "edit_file"],
  ["KillShell", "stop_job"],
])("finds a tool by its alias %s", (alias, name) => {
  expect(createRegistry().find(alias)?.name).toBe(name);
});

test("does not find a name that only differs in white space, or in case otherwise than other agents write theirs", () => {
  const registry = createRegistry();
  expect(registry.find("Shell")?.name).toBe("shell");
  expect([registry.find("SHELL"), registry.find(" shell"), registry.find("__proto__"), registry.find("")]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test.each([
  ["two tools of one name", [tool("a", []), tool("a", [])]],
  ["an alias that is another's name", [tool("a", []), tool("b", ["a"])]],
  ["two equal aliases", [tool("a", ["c"]), tool("b", ["c"])]],
  ["an alias that repeats its own name", [tool("a", ["a"])]],
  ["a name that is no identifier", [tool("Read File", [])]],
])("refuses %s", (_what, tools) => {
  expect(() => createRegistry(tools)).toThrow(AgentError);
});

test("refuses a tool of an embedding program that takes a name or an alias of Warder's", () => {
  for (const name of ["shell", "bash"]) expect(() => createRegistry(BUILT_IN_TOOLS, [tool(name, [])])).toThrow(`Two tools are called ${name}.`);
  expect(() => createRegistry(BUILT_IN_TOOLS, [tool("mine", ["grep"])])).toThrow("Two tools are called grep.");
});

test("suggests names that are spelled alike, the nearest first", () => {
  const registry = createRegistry();
  expect(registry.near("read_fil")[0]).toBe("read_file");
  expect(registry.near("bsh")[0]).toBe("bash");
  expect(registry.near("launch_rocket")).toEqual([]);
});

test("gives byte-identical definitions whatever the order of registration", () => {
  const forward = JSON.stringify(createRegistry(BUILT_IN_TOOLS).toolDefinitions());
  const backward = JSON.stringify(createRegistry([...BUILT_IN_TOOLS].toReversed()).toolDefinitions());
  expect(backward).toBe(forward);
  expect(forward.length).toBeGreaterThan(1000);
});

test("leaves out the tools that a policy does not offer", () => {
  const names = createRegistry()
    .toolDefinitions((name) => name !== "shell")
    .map((definition) => definition.name);
  expect(names).toEqual([
    "agent",
    "agent_apart",
    "agent_crew",
    "agent_merge",
    "apply_patch",
    "ask_user",
    "browser",
    "code",
    "code_rewrite",
    "config",
    "cron_add",
    "cron_list",
    "cron_remove",
    "edit_file",
    "glob_search",
    "grep_search",
    "http_request",
    "language_server",
    "list_files",
    "list_jobs",
    "memory_forget",
    "memory_recall",
    "memory_store",
    "notebook_edit",
    "powershell",
    "read_artifact",
    "read_file",
    "read_job",
    "rename_symbol",
    "repl",
    "script",
    "send_user_message",
    "skill",
    "sleep",
    "start_job",
    "stop_job",
    "todo_write",
    "web_fetch",
    "web_search",
    "write_file",
  ]);
});

test("defines each input as one closed object without references or unions at the top", () => {
  for (const { inputSchema } of createRegistry().toolDefinitions()) {
    expect(inputSchema["type"]).toBe("object");
    expect(inputSchema["additionalProperties"]).toBe(false);
    expect(Object.keys(inputSchema).toSorted()).toEqual(["additionalProperties", "properties", "required", "type"].filter((key) => key in inputSchema));
    expect(JSON.stringify(inputSchema)).not.toContain("$ref");
  }
});

/** The names of all arguments, also of those that lie in others. */
function namedIn(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]: readonly [string, unknown]) =>
    key === "properties" ? Object.entries(value as object).flatMap(([name, inner]) => [name, ...namedIn(inner)]) : namedIn(value),
  );
}

test("finds the names of arguments wherever they lie", () => {
  const member = { type: "object", properties: { deep: { anyOf: [{ type: "array", items: { properties: { deeper: { type: "string" } } } }] } } };
  expect(namedIn({ properties: { agents: { type: "array", items: member } } })).toEqual(["agents", "deep", "deeper"]);
  const crew = createRegistry().toolDefinitions((name) => name === "agent_crew");
  expect(crew.flatMap(({ inputSchema }) => namedIn(inputSchema)).toSorted()).toEqual([
    "after",
    "agents",
    "loop",
    "name",
    "read_only",
    "task",
    "times",
    "to",
    "tools",
    "when",
  ]);
});

test("shows a model no word that could steer security", () => {
  const keys = createRegistry()
    .toolDefinitions()
    .flatMap(({ inputSchema }) => namedIn(inputSchema));
  // A pin: whoever adds a field reads law 9 first.
  expect([...new Set(keys)].toSorted()).toEqual(
    [
      "after",
      "agent",
      "agents",
      "artifact",
      "delete",
      "executable",
      "links",
      "not_executable",
      "remove_directories",
      "loop",
      "times",
      "to",
      "when",
      "show",
      "write",
      "before",
      "category",
      "id",
      "query",
      "scope",
      "text",
      "seconds",
      "question",
      "choices",
      "action",
      "key",
      "ref",
      "submit",
      "values",
      "code",
      "body",
      "command",
      "content",
      "cron",
      "context",
      "depth",
      "edits",
      "exclude",
      "file",
      "files",
      "from",
      "glob",
      "headers",
      "ignore_case",
      "insert_line",
      "job",
      "language",
      "limit",
      "line",
      "max_characters",
      "max_files",
      "max_per_file",
      "max_results",
      "method",
      "mode",
      "name",
      "new_name",
      "new_string",
      "now",
      "offset",
      "old_string",
      "operation",
      "path",
      "paths",
      "pattern",
      "read_only",
      "replace_all",
      "rewrite",
      "server",
      "seed",
      "task",
      "time_zone",
      "timeout_seconds",
      "tools",
      "url",
      "value",
      "wait_seconds",
      "working_dir",
      "source",
      "cell_type",
      "cell_number",
      "cell_id",
      "patch",
      "todos",
      "status",
    ].toSorted(),
  );
});
