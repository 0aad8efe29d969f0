import type { ToolSetting } from "../../tools/contract/tool.ts";
import { argumentsOf, BLOCK, type Dialect, type HookAnswer, type HookEvent, type Said, SILENCE, textOf, unreadable } from "../dialect.ts";
import { globbing } from "../glob.ts";
import {
  type Arguments,
  command,
  listed,
  type Meaning,
  meaningIn,
  type MeaningOf,
  type MeaningTable,
  ofServer,
  reading,
  searching,
  writing,
} from "../meaning.ts";

const ONE_FILE = reading("path", "file_path");
const ALL_BELOW = searching("list_files", "path");
const IMAGES = listed("image_paths", reading("image_paths"));

const readOperation: MeaningOf = (input, place) => {
  if (input["mode"] === "Directory" || input["mode"] === "Search") return ALL_BELOW(input, place);
  return (input["image_paths"] === undefined ? ONE_FILE : IMAGES)(input, place);
};

const READ: MeaningOf = (input, place) => (input["operations"] === undefined ? readOperation : listed("operations", readOperation))(input, place);
const SHELL = command("command");
const WRITE = writing("write_file", "path", "file_path");

const TOOLS: MeaningTable = {
  execute_bash: SHELL,
  shell: SHELL,
  fs_read: READ,
  read: READ,
  fs_write: WRITE,
  write: WRITE,
  glob: globbing("pattern", "path"),
  grep: searching("grep_search", "path"),
};

function meaningOf(name: string, input: Arguments, place: ToolSetting): Meaning {
  const [, server, tool] = /^@([^/]+)\/(.+)$/u.exec(name) ?? [];
  return server !== undefined && tool !== undefined ? ofServer(server, tool) : meaningIn(TOOLS, name, input, place);
}

function read(event: Arguments, home: string): HookEvent {
  const named = textOf(event, "hook_event_name");
  if (named === null) return unreadable("it names no event");
  if (named.toLowerCase() !== "pretooluse") return { kind: "nothing" };
  const [cwd, name] = [textOf(event, "cwd"), textOf(event, "tool_name")];
  const input = argumentsOf(event["tool_input"]);
  if (cwd?.startsWith("/") !== true || name === null) return unreadable("cwd or tool_name is missing");
  if (input === null) return unreadable("tool_input is no object");
  // Its older versions name no session: then all in one directory are one.
  const session = textOf(event, "session_id") ?? cwd;
  return { kind: "call", session, callId: null, cwd, name, input, meaning: meaningOf(name, input, { workspace: cwd, home }), canAsk: false };
}

function answer({ verdict, reason }: HookAnswer): Said {
  if (verdict === "allow") return SILENCE;
  return { stdout: `${JSON.stringify({ decision: "deny", reason })}\n`, stderr: `${reason}\n`, exitCode: BLOCK };
}

export const KIRO: Dialect = {
  title: "Kiro CLI",
  owns: (event) => /^[a-z]/u.test(textOf(event, "hook_event_name") ?? ""),
  read,
  answer,
  silence: SILENCE,
};
