import { BLOCK, type Dialect, type HookAnswer, type Said } from "../dialect.ts";
import { globbing } from "../glob.ts";
import { command, conversing, delegating, fetching, meaningIn, type MeaningTable, reading, searching, writing } from "../meaning.ts";
import { patching } from "../patch.ts";
import { meaningOfClaude, readClaudeForm } from "./claude-code.ts";

const OPENCODE_TOOLS: MeaningTable = {
  bash: command("command", "workdir"),
  read: reading("filePath"),
  write: writing("write_file", "filePath"),
  edit: writing("edit_file", "filePath"),
  multiedit: writing("edit_file", "filePath"),
  apply_patch: patching("patchText"),
  patch: patching("patchText"),
  list: searching("list_files", "path"),
  glob: globbing("pattern", "path"),
  grep: searching("grep_search", "path"),
  webfetch: fetching("url"),
  task: delegating("prompt"),
  todowrite: conversing("todo_write"),
  todoread: conversing("todo_write"),
  question: conversing("ask_user"),
};

const PI_TOOLS: MeaningTable = {
  bash: command("command"),
  read: reading("path"),
  write: writing("write_file", "path"),
  edit: writing("edit_file", "path"),
  ls: searching("list_files", "path"),
  find: globbing("pattern", "path"),
  grep: searching("grep_search", "path"),
};

/** The form is that of our own plugin, which takes nothing but an allow in words for one. */
function answer({ verdict, reason }: HookAnswer): Said {
  const said = verdict === "allow" ? "allow" : "deny";
  const stdout = `${JSON.stringify({ decision: said, reason })}\n`;
  return said === "allow" ? { stdout, stderr: "", exitCode: 0 } : { stdout, stderr: `${reason}\n`, exitCode: BLOCK };
}

function byPlugin(title: string, tools: MeaningTable): Dialect {
  return {
    title,
    owns: () => false,
    read: (event, home) =>
      readClaudeForm(event, home, {
        meaning: (name, input, place) => (Object.hasOwn(tools, name) ? meaningIn(tools, name, input, place) : meaningOfClaude(name, input, place)),
        canAsk: () => false,
      }),
    answer,
    silence: { stdout: "{}\n", stderr: "", exitCode: 0 },
  };
}

export const OPENCODE = byPlugin("opencode", OPENCODE_TOOLS);
export const PI = byPlugin("pi", PI_TOOLS);
