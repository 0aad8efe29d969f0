import { type Dialect, SILENCE, textOf } from "../dialect.ts";
import { globbing } from "../glob.ts";
import { command, conversing, delegating, fetching, meaningIn, type MeaningTable, reading, searching, writing } from "../meaning.ts";
import { isClaudeForm, meaningOfClaude, readClaudeForm, sayInClaudeForm } from "./claude-code.ts";

const TOOLS: MeaningTable = {
  run_shell_command: command("command", "directory", "dir_path"),
  write_file: writing("write_file", "file_path"),
  edit: writing("edit_file", "file_path"),
  read_file: reading("file_path", "absolute_path"),
  list_directory: searching("list_files", "path"),
  glob: globbing("pattern", "path"),
  grep_search: searching("grep_search", "path"),
  web_fetch: fetching("url"),
  agent: delegating("prompt"),
  task: delegating("prompt"),
  todo_write: conversing("todo_write"),
  ask_user_question: conversing("ask_user"),
};

/** Claude Code's form with Gemini CLI's names. Whether its question can be missed is not known, so nothing is asked through it. */
export const QWEN: Dialect = {
  title: "Qwen Code",
  owns: (event) => isClaudeForm(event) && Object.hasOwn(TOOLS, textOf(event, "tool_name") ?? ""),
  read: (event, home) =>
    readClaudeForm(event, home, {
      meaning: (name, input, place) => (Object.hasOwn(TOOLS, name) ? meaningIn(TOOLS, name, input, place) : meaningOfClaude(name, input, place)),
      canAsk: () => false,
    }),
  answer: (answer) => (answer.verdict === "allow" ? SILENCE : sayInClaudeForm({ ...answer, verdict: "deny" })),
  silence: SILENCE,
};
