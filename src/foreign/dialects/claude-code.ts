import { argumentsOf, BLOCK, type Dialect, type HookAnswer, type HookEvent, type Said, SILENCE, textOf, unreadable } from "../dialect.ts";
import { globbing } from "../glob.ts";
import {
  type Arguments,
  command,
  conversing,
  delegating,
  fetching,
  type Meaning,
  meaningIn,
  type MeaningTable,
  ofServer,
  reading,
  searching,
  writing,
} from "../meaning.ts";
import type { ToolSetting } from "../../tools/contract/tool.ts";

const TOOLS: MeaningTable = {
  Bash: command("command"),
  PowerShell: command("command"),
  Monitor: command("command"),
  Write: writing("write_file", "file_path"),
  Edit: writing("edit_file", "file_path"),
  MultiEdit: writing("edit_file", "file_path"),
  NotebookEdit: writing("edit_file", "notebook_path"),
  Read: reading("file_path"),
  Grep: searching("grep_search", "path"),
  Glob: globbing("pattern", "path"),
  LS: searching("list_files", "path"),
  WebFetch: fetching("url"),
  Agent: delegating("prompt"),
  Task: delegating("prompt"),
  TodoWrite: conversing("todo_write"),
  TaskCreate: conversing("todo_write"),
  TaskUpdate: conversing("todo_write"),
  TaskList: conversing("todo_write"),
  TaskGet: conversing("todo_write"),
  AskUserQuestion: conversing("ask_user"),
  EnterPlanMode: conversing("plan_done"),
  ExitPlanMode: conversing("plan_done"),
  BashOutput: conversing("read_job"),
  TaskOutput: conversing("read_job"),
  KillShell: conversing("stop_job"),
  TaskStop: conversing("stop_job"),
  ToolSearch: conversing("tool_search"),
};

const MCP_NAME = /^mcp__(.+?)__(.+)$/u;

/** In these modes the agent has no question that a person must have seen. */
const MODES_WITHOUT_QUESTIONS: ReadonlySet<string> = new Set(["bypassPermissions", "dontAsk"]);

/** What Claude Code's tools mean; another agent that uses its names reads them here, too. */
export function meaningOfClaude(name: string, input: Arguments, place: ToolSetting): Meaning {
  const [, server, tool] = MCP_NAME.exec(name) ?? [];
  if (server !== undefined && tool !== undefined) return ofServer(server, tool);
  return meaningIn(TOOLS, name, input, place);
}

/** Whether a tool's name is one that Claude Code has, and not Warder's own. */
export function isClaudeName(name: string): boolean {
  return Object.hasOwn(TOOLS, name) || MCP_NAME.test(name);
}

/** Whether an event is in the form of Claude Code's. */
export function isClaudeForm(event: Arguments): boolean {
  return /^[A-Z]/u.test(textOf(event, "hook_event_name") ?? "");
}

/** An event in the form of Claude Code's, which Codex, Qwen Code, VS Code and others took over. */
export function readClaudeForm(event: Arguments, home: string, { meaning = meaningOfClaude, canAsk }: FormOptions): HookEvent {
  if (event["hook_event_name"] !== "PreToolUse") return textOf(event, "hook_event_name") === null ? unreadable("it names no event") : { kind: "nothing" };
  const [session, cwd, name] = [textOf(event, "session_id"), textOf(event, "cwd"), textOf(event, "tool_name")];
  const input = argumentsOf(event["tool_input"]);
  if (session === null || cwd?.startsWith("/") !== true || name === null) return unreadable("session_id, cwd or tool_name is missing");
  if (input === null) return unreadable("tool_input is no object");
  const callId = textOf(event, "tool_use_id");
  return { kind: "call", session, callId, cwd, name, input, meaning: meaning(name, input, { workspace: cwd, home }), canAsk: canAsk(event) };
}

export type FormOptions = {
  readonly meaning?: typeof meaningOfClaude;
  readonly canAsk: (event: Arguments) => boolean;
};

/** The answer in Claude Code's form. A denial is said three times, so that whichever the agent reads blocks. */
export function sayInClaudeForm({ verdict, reason }: HookAnswer): Said {
  const hookSpecificOutput = { hookEventName: "PreToolUse", permissionDecision: verdict, permissionDecisionReason: reason };
  const stdout = `${JSON.stringify({ hookSpecificOutput })}\n`;
  return verdict === "deny" ? { stdout, stderr: `${reason}\n`, exitCode: BLOCK } : { stdout, stderr: "", exitCode: 0 };
}

export const CLAUDE_CODE: Dialect = {
  title: "Claude Code",
  owns: isClaudeForm,
  read: (event, home) => readClaudeForm(event, home, { canAsk: ({ permission_mode: mode }) => typeof mode !== "string" || !MODES_WITHOUT_QUESTIONS.has(mode) }),
  answer: sayInClaudeForm,
  silence: SILENCE,
};
