import type { ToolSetting } from "../../tools/contract/tool.ts";
import { argumentsOf, BLOCK, type Dialect, type HookAnswer, type HookEvent, parsedArguments, type Said, textOf, unreadable } from "../dialect.ts";
import { globbing } from "../glob.ts";
import {
  type Arguments,
  command,
  conversing,
  delegating,
  type Meaning,
  meaningIn,
  type MeaningTable,
  ofServer,
  reading,
  searching,
  writing,
} from "../meaning.ts";
import { deleting } from "../patch.ts";

const FILE = ["file_path", "path", "target_file"] as const;

const TOOLS: MeaningTable = {
  Write: writing("write_file", ...FILE),
  TabWrite: writing("write_file", ...FILE),
  Edit: writing("edit_file", ...FILE),
  StrReplace: writing("edit_file", ...FILE),
  Delete: deleting(...FILE),
  Grep: searching("grep_search", "path"),
  Glob: globbing("pattern", "path", "target_directory"),
  Task: delegating("prompt"),
  TodoWrite: conversing("todo_write"),
};

type Asked = { readonly name: string; readonly input: Arguments; readonly meaning: Meaning };

/** What an event asks; null: nothing. A command, a read and a call of a server have events of their own, so that each call is judged once. */
function askedBy(event: Arguments, place: ToolSetting): Asked | null {
  const name = textOf(event, "tool_name");
  switch (event["hook_event_name"]) {
    case "beforeShellExecution":
      return { name: "Shell", input: { command: event["command"] }, meaning: command("command")(event, place) };
    case "beforeReadFile":
      return { name: "Read", input: { file_path: event["file_path"] }, meaning: reading("file_path")(event, place) };
    case "beforeMCPExecution":
      if (name === null) return { name: "MCP", input: {}, meaning: { problem: "tool_name is missing." } };
      // The server is told by its address or its command line, never by a name.
      return { name, input: parsedArguments(event["tool_input"]) ?? { text: event["tool_input"] }, meaning: ofServer("mcp", name) };
    case "preToolUse": {
      if (name === null) return { name: "none", input: {}, meaning: { problem: "tool_name is missing." } };
      if (name === "Shell" || name === "Read" || name.startsWith("MCP:")) return null;
      const input = argumentsOf(event["tool_input"]);
      return { name, input: input ?? {}, meaning: input === null ? { problem: "tool_input is no object." } : meaningIn(TOOLS, name, input, place) };
    }
    default:
      return null;
  }
}

function read(event: Arguments, home: string): HookEvent {
  if (textOf(event, "hook_event_name") === null) return unreadable("it names no event");
  const roots = event["workspace_roots"];
  const [root] = Array.isArray(roots) ? (roots as readonly unknown[]) : [];
  const cwd = textOf(event, "cwd") ?? root;
  const session = textOf(event, "conversation_id");
  if (session === null || typeof cwd !== "string" || !cwd.startsWith("/")) return unreadable("conversation_id, or cwd and workspace_roots are missing");
  const asked = askedBy(event, { workspace: cwd, home });
  if (asked === null) return { kind: "nothing" };
  return { kind: "call", session, callId: textOf(event, "tool_use_id"), cwd, ...asked, canAsk: false };
}

/** It is told to close when there is no answer (`failClosed`), so an allow is said. */
function answer({ verdict, reason }: HookAnswer): Said {
  if (verdict === "allow") return { stdout: `${JSON.stringify({ permission: "allow" })}\n`, stderr: "", exitCode: 0 };
  const stdout = `${JSON.stringify({ permission: "deny", user_message: reason, agent_message: reason })}\n`;
  return { stdout, stderr: `${reason}\n`, exitCode: BLOCK };
}

export const CURSOR: Dialect = {
  title: "Cursor",
  owns: (event) => textOf(event, "hook_event_name") !== null && textOf(event, "conversation_id") !== null,
  read,
  answer,
  silence: { stdout: "{}\n", stderr: "", exitCode: 0 },
};
