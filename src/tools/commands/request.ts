import { locate } from "../contract/location.ts";
import type { ToolRequest, ToolSetting } from "../contract/tool.ts";

/** What running a command asks for: the command itself, where it would run. */
export function shellRequest(command: string, directory: string, setting: ToolSetting): ToolRequest {
  return { kind: "command", text: command, cwd: locate(directory, setting) };
}
