import type { ToolSetting } from "../../tools/contract/tool.ts";
import { BLOCK, type Dialect, type HookAnswer, type HookEvent, parsedArguments, type Said, SILENCE, textOf, unreadable } from "../dialect.ts";
import { globbing } from "../glob.ts";
import {
  type Arguments,
  command,
  conversing,
  delegating,
  fetching,
  listed,
  type Meaning,
  meaningIn,
  type MeaningTable,
  reading,
  searching,
  writing,
} from "../meaning.ts";
import { patching } from "../patch.ts";
import { meaningOfClaude, readClaudeForm, sayInClaudeForm } from "./claude-code.ts";

/** The names of Copilot CLI, then those of VS Code's own agent: either may start the other's hook. */
const TOOLS: MeaningTable = {
  bash: command("command"),
  powershell: command("command"),
  view: reading("path"),
  create: writing("write_file", "path"),
  edit: writing("edit_file", "path"),
  apply_patch: patching("input", "patch", "text"),
  web_fetch: fetching("url"),
  grep: searching("grep_search", "path"),
  glob: globbing("pattern", "path"),
  task: delegating("prompt"),
  run_in_terminal: command("command"),
  create_file: writing("write_file", "filePath"),
  editFiles: listed("files", writing("edit_file", "files", "filePath")),
  insert_edit_into_file: writing("edit_file", "filePath"),
  replace_string_in_file: writing("edit_file", "filePath"),
  multi_replace_string_in_file: listed("replacements", writing("edit_file", "filePath")),
  edit_notebook_file: writing("edit_file", "filePath"),
  read_file: reading("filePath"),
  list_dir: searching("list_files", "path"),
  fetch_webpage: listed("urls", fetching("urls")),
  runSubagent: delegating("prompt"),
  manage_todo_list: conversing("todo_write"),
};

function meaningOf(name: string, input: Arguments, place: ToolSetting): Meaning {
  return Object.hasOwn(TOOLS, name) ? meaningIn(TOOLS, name, input, place) : meaningOfClaude(name, input, place);
}

/** Copilot's own event has no name; one with the name of an event is in Claude Code's form, with VS Code's spelling of two keys. */
function read(event: Arguments, home: string): HookEvent {
  const named = textOf(event, "hook_event_name") ?? textOf(event, "hookEventName");
  if (named !== null) {
    const session_id = textOf(event, "session_id") ?? textOf(event, "sessionId");
    return readClaudeForm({ ...event, hook_event_name: named, session_id }, home, { meaning: meaningOf, canAsk: () => false });
  }
  const [session, cwd, name] = [textOf(event, "sessionId"), textOf(event, "cwd"), textOf(event, "toolName")];
  if (session === null || cwd?.startsWith("/") !== true || name === null) return unreadable("sessionId, cwd or toolName is missing");
  if (Object.hasOwn(event, "toolResult")) return { kind: "nothing" };
  const input = parsedArguments(event["toolArgs"]);
  if (input === null) return unreadable("toolArgs is no object");
  return { kind: "call", session, callId: null, cwd, name, input, meaning: meaningOf(name, input, { workspace: cwd, home }), canAsk: false };
}

function answer({ verdict, reason }: HookAnswer, event: Arguments): Said {
  if (verdict === "allow") return SILENCE;
  if (textOf(event, "toolName") === null) return sayInClaudeForm({ verdict: "deny", reason });
  const stdout = `${JSON.stringify({ permissionDecision: "deny", permissionDecisionReason: reason })}\n`;
  return { stdout, stderr: `${reason}\n`, exitCode: BLOCK };
}

export const COPILOT: Dialect = {
  title: "Copilot CLI",
  owns: (event) => textOf(event, "toolName") !== null && textOf(event, "sessionId") !== null,
  read,
  answer,
  silence: SILENCE,
};

/** It reads Copilot's configuration, so its events and Copilot's come to the same hook. */
export const VS_CODE: Dialect = { ...COPILOT, title: "VS Code", owns: (event) => textOf(event, "hookEventName") !== null };
