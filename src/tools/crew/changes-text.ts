import { showPath } from "../contract/location.ts";
import type { HandedChange, ToolSetting } from "../contract/tool.ts";

const MAX_LISTED = 200;

/** What a sub-agent changed in an overlay of its own, a line each, and how to take it. */
export function changesText(changes: readonly HandedChange[], agent: string, setting: ToolSetting): string {
  if (changes.length === 0) return "It changed nothing.";
  const lines = changes.slice(0, MAX_LISTED).map(({ path, kind, size, isExecutable, link, isDirectory, obstacle }) => {
    const notes = [
      isDirectory === true ? "a directory" : link === undefined ? "" : `a link to ${link}`,
      kind === "deleted" || kind === "mode" || link !== undefined ? "" : `${String(size)} bytes`,
      isExecutable ? "executable there" : kind === "mode" ? "not executable there" : "",
      obstacle === null ? "" : `cannot be merged: ${obstacle}`,
    ];
    const said = notes.filter((note) => note !== "").join(", ");
    return `  ${kind} ${showPath(path, setting)}${said === "" ? "" : ` (${said})`}`;
  });
  const more = changes.length > MAX_LISTED ? [`  [${String(changes.length - MAX_LISTED)} more]`] : [];
  return [
    "In its own overlay it changed (nothing of it is in this workspace):",
    ...lines,
    ...more,
    `Look: agent_merge {"agent": "${agent}", "show": PATH}. Take: agent_merge with "write", "delete", "remove_directories", "links", "executable".`,
  ].join("\n");
}
