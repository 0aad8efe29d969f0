import { locate } from "./location.ts";
import type { ToolRequest, ToolSetting } from "./tool.ts";

const NUL = String.fromCharCode(0);

/** The longest command that a model may propose, in UTF-16 units. */
export const MAX_COMMAND_CHARACTERS = 65_536;

/** Whether a text can be an operating-system string: a NUL would end it early for whoever looks at it next. */
export function isSystemText(text: string, maxCharacters: number): boolean {
  return text !== "" && text.length <= maxCharacters && !text.includes(NUL);
}

/** What running a command asks for: the command itself, where it would run. */
export function shellRequest(command: string, directory: string, setting: ToolSetting): ToolRequest {
  return { kind: "command", text: command, cwd: locate(directory, setting) };
}
