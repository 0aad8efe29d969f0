import { normalisePath } from "../../policy/matching/paths.ts";
import type { ToolRequest } from "../../tools/contract/tool.ts";

// Without them `rg` starts other programs, reads pattern files, or follows links out of the path.
const SEARCH_OPTIONS = new Set([
  "--no-config",
  "--color",
  "--hidden",
  "--no-require-git",
  "--glob",
  "--iglob",
  "--sort",
  "--null",
  "--with-filename",
  "--ignore-case",
  "--smart-case",
  "--fixed-strings",
  "--word-regexp",
  "--files",
  "--files-with-matches",
  "--count",
  "--count-matches",
  "--no-heading",
  "--line-number",
  "--max-columns",
  "--max-columns-preview",
  "--max-count",
  "--max-depth",
  "--max-filesize",
  "--context",
  "--before-context",
  "--after-context",
  "--multiline",
  "--regexp",
  "--json",
  "--type",
  "--no-messages",
  "--files",
]);

/** Whether a ruled request of this call covers reading `path`; with everything below it when `isRecursive`. A path that goes up (`sub/../other`) is covered by none. */
export function coversRead(requests: readonly ToolRequest[], path: string, isRecursive: boolean): boolean {
  if (path !== normalisePath(path)) return false;
  return requests.some((request) => {
    if (request.kind !== "read") return false;
    if (request.isRecursive) return path === request.path || path.startsWith(request.path === "/" ? "/" : `${request.path}/`);
    return !isRecursive && path === request.path;
  });
}

/** Whether a ruled request of this call covers writing exactly `path`. */
export function coversWrite(requests: readonly ToolRequest[], path: string): boolean {
  return requests.some((request) => request.kind === "write" && request.path === path);
}

/** Whether a ruled request of this call is exactly this command text in this directory. */
export function coversCommand(requests: readonly ToolRequest[], text: string, cwd: string): boolean {
  return requests.some((request) => request.kind === "command" && request.place === undefined && request.text === text && request.cwd === cwd);
}

/** Whether a ruled request of this call gives exactly this task to a sub-agent. */
export function coversDelegation(requests: readonly ToolRequest[], task: string): boolean {
  return requests.some((request) => request.kind === "delegate" && request.task === task);
}

/** The first argument that a search may not have, or null. Every argument is one long option, its value joined by `=`. */
export function forbiddenSearchArgument(rgArguments: readonly string[]): string | null {
  return rgArguments.find((argument) => !argument.startsWith("--") || argument === "--" || !SEARCH_OPTIONS.has(argument.split("=", 1)[0] ?? "")) ?? null;
}
