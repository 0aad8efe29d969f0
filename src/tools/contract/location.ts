import { posix } from "node:path";
import type { ToolSetting } from "./tool.ts";

/**
 * The absolute, lexically normalised path that an argument means: relative to the workspace, with a leading
 * `~` as the home directory. Variables are never expanded: `$HOME/x` is a directory called `$HOME`.
 */
export function locate(path: string, setting: ToolSetting): string {
  const home = path === "~" || path.startsWith("~/") ? posix.join(setting.home, path.slice(1)) : path;
  const absolute = posix.resolve(setting.workspace, home);
  return absolute;
}

/** How a path is shown to the model: relative when it is in the workspace. */
export function showPath(path: string, setting: ToolSetting): string {
  if (path === setting.workspace) return ".";
  const prefix = setting.workspace.endsWith("/") ? setting.workspace : `${setting.workspace}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}
