import { expect, test } from "vitest";
import { decodeInput } from "../../src/tools/decode.ts";
import { createRegistry } from "../../src/tools/registry.ts";

const decoded = (name: string, input: Record<string, unknown>) => {
  const tool = createRegistry().find(name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return { tool: tool.name, ...decodeInput(tool, input) };
};

// A row: an agent, a call as its models write it, and what it means here.
test.each([
  ["Claude Code", "Read", { file_path: "a", offset: 3, limit: 2 }, "read_file", { path: "a", offset: 3, limit: 2 }],
  ["Claude Code", "Write", { file_path: "a", content: "x" }, "write_file", { path: "a", content: "x" }],
  [
    "Claude Code",
    "Edit",
    { file_path: "a", old_string: "x", new_string: "y", replace_all: true },
    "edit_file",
    { path: "a", old_string: "x", new_string: "y", replace_all: true },
  ],
  [
    "Claude Code",
    "MultiEdit",
    { file_path: "a", edits: [{ old_string: "x", new_string: "y" }] },
    "edit_file",
    { path: "a", edits: [{ old_string: "x", new_string: "y" }] },
  ],
  ["Claude Code", "Bash", { command: "ls", description: "Lists.", timeout: 5000, run_in_background: false }, "shell", { command: "ls", timeout_seconds: 5 }],
  ["Claude Code", "Glob", { pattern: "*.ts", path: "src" }, "glob_search", { pattern: "*.ts", path: "src" }],
  [
    "Claude Code",
    "Grep",
    { pattern: "x", output_mode: "files_with_matches", "-i": true, "-n": true, "-C": 2, head_limit: 9 },
    "grep_search",
    { pattern: "x", mode: "files", ignore_case: true, context: 2, max_files: 9 },
  ],
  ["Claude Code", "LS", { path: "src", ignore: ["*.log"] }, "list_files", { path: "src", exclude: ["*.log"] }],
  ["Codex", "shell", { command: ["bash", "-lc", "ls"], workdir: "src", timeout_ms: 1500 }, "shell", { command: "ls", working_dir: "src", timeout_seconds: 2 }],
  ["Codex", "exec_command", { cmd: "ls" }, "shell", { command: "ls" }],
  ["Gemini CLI", "read_many_files", { paths: ["a", "b"] }, "read_file", { files: [{ path: "a" }, { path: "b" }] }],
  [
    "Gemini CLI",
    "replace",
    { file_path: "a", instruction: "Why.", old_string: "x", new_string: "y", expected_replacements: 1 },
    "edit_file",
    { path: "a", old_string: "x", new_string: "y" },
  ],
  ["Gemini CLI", "run_shell_command", { command: "ls", description: "Lists.", directory: "src" }, "shell", { command: "ls", working_dir: "src" }],
  ["Gemini CLI", "search_file_content", { pattern: "x", include: "*.ts" }, "grep_search", { pattern: "x", glob: "*.ts" }],
  [
    "Cursor",
    "read_file",
    { target_file: "a", start_line_one_indexed: 3, end_line_one_indexed_inclusive: 7, should_read_entire_file: false, explanation: "Why." },
    "read_file",
    { path: "a", offset: 3, limit: 5 },
  ],
  ["Cursor", "list_dir", { relative_workspace_path: "src" }, "list_files", { path: "src" }],
  ["Cursor", "grep_search", { query: "x", case_sensitive: false, include_pattern: "*.ts" }, "grep_search", { pattern: "x", ignore_case: true, glob: "*.ts" }],
  ["Claude Code", "WebSearch", { query: "x" }, "web_search", { query: "x" }],
  ["Gemini CLI", "google_web_search", { query: "x" }, "web_search", { query: "x" }],
  ["Cursor", "run_terminal_cmd", { command: "ls", is_background: false }, "shell", { command: "ls" }],
  [
    "opencode",
    "edit",
    { filePath: "a", oldString: "x", newString: "y", replaceAll: false },
    "edit_file",
    { path: "a", old_string: "x", new_string: "y", replace_all: false },
  ],
  ["Cline", "write_to_file", { path: "a", content: "x" }, "write_file", { path: "a", content: "x" }],
  ["Cline", "search_files", { path: "src", regex: "x", file_pattern: "*.ts" }, "grep_search", { path: "src", pattern: "x", glob: "*.ts" }],
])("%s's %s is understood", (...[, name, input, tool, own]) => {
  expect(decoded(name, input)).toEqual({ tool, kind: "valid", input: own });
});

test.each([
  ["Read", { file_path: "a", path: "b" }],
  ["Read", { file_path: "a", filename: "b" }],
  ["Read", { path: "a", files: [{ path: "b" }] }],
  ["Read", {}],
  ["Bash", { command: "ls", run_in_background: true }],
  ["Bash", { command: "ls", timeout: 60 }],
  ["Bash", { command: "ls", dangerouslyDisableSandbox: true }],
  ["Bash", { command: ["rm", "-rf", "/"] }],
  ["Edit", { file_path: "a", old_string: "x", new_string: "y", expected_replacements: 2 }],
  ["Edit", { file_path: "a", new_string: "y" }],
  ["Edit", { file_path: "a", old_string: "x", new_string: "y", insert_line: 3 }],
  ["Edit", { file_path: "a", old_string: "x", edits: [{ old_string: "x", new_string: "y" }] }],
  ["Grep", { pattern: "x", "-n": "--pre=id" }],
])("what could mean two things is refused: %s of %j", (name, input) => {
  expect(decoded(name, input)).toMatchObject({ kind: "invalid" });
});
