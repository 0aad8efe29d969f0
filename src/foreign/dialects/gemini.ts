import type { ToolSetting } from "../../tools/contract/tool.ts";
import { argumentsOf, BLOCK, type Dialect, type HookEvent, SILENCE, textOf, unreadable } from "../dialect.ts";
import { globbing } from "../glob.ts";
import {
  type Arguments,
  command,
  conversing,
  fetchingWithin,
  type Meaning,
  meaningIn,
  type MeaningTable,
  ofServer,
  reading,
  searching,
  writing,
} from "../meaning.ts";

const TOOLS: MeaningTable = {
  run_shell_command: command("command", "dir_path"),
  write_file: writing("write_file", "file_path"),
  replace: writing("edit_file", "file_path"),
  read_file: reading("file_path"),
  read_many_files: searching("list_files", "path"),
  list_directory: searching("list_files", "dir_path"),
  glob: globbing("pattern", "dir_path"),
  grep_search: searching("grep_search", "dir_path"),
  search_file_content: searching("grep_search", "dir_path"),
  web_fetch: fetchingWithin("prompt"),
  write_todos: conversing("todo_write"),
  ask_user: conversing("ask_user"),
};

function meaningOf(name: string, input: Arguments, context: unknown, place: ToolSetting): Meaning {
  const server = argumentsOf(context) === null ? null : textOf(context as Arguments, "server_name");
  const prefix = `mcp_${server ?? ""}_`;
  if (server !== null) return ofServer(server, name.startsWith(prefix) ? name.slice(prefix.length) : name);
  return meaningIn(TOOLS, name, input, place);
}

function read(event: Arguments, home: string): HookEvent {
  if (event["hook_event_name"] !== "BeforeTool") return textOf(event, "hook_event_name") === null ? unreadable("it names no event") : { kind: "nothing" };
  const [session, cwd, name] = [textOf(event, "session_id"), textOf(event, "cwd"), textOf(event, "tool_name")];
  const input = argumentsOf(event["tool_input"]);
  if (session === null || cwd?.startsWith("/") !== true || name === null) return unreadable("session_id, cwd or tool_name is missing");
  if (input === null) return unreadable("tool_input is no object");
  const meaning = meaningOf(name, input, event["mcp_context"], { workspace: cwd, home });
  return { kind: "call", session, callId: null, cwd, name, input, meaning, canAsk: false };
}

/** Its `ask` would turn a denial of the agent's own rules into a question, so nothing is asked through it. */
export const GEMINI: Dialect = {
  title: "Gemini CLI",
  owns: (event) => /^(?:Before|After)[A-Z]/u.test(textOf(event, "hook_event_name") ?? ""),
  read,
  answer: ({ verdict, reason }) =>
    verdict === "allow" ? SILENCE : { stdout: `${JSON.stringify({ decision: "deny", reason })}\n`, stderr: `${reason}\n`, exitCode: BLOCK },
  silence: SILENCE,
};
