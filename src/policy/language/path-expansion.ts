import { escape } from "minimatch";
import { makeVisible } from "../../base/text.ts";
import { normalisePath } from "../matching/paths.ts";

/** The directories that `~`, `.` and relative paths of a policy stand for. All absolute; the caller has resolved symlinks. */
export type PolicyContext = {
  readonly workspace: string;
  readonly home: string;
  /** Where Warder keeps its state. */
  readonly stateDirectory: string;
  /** Resolves the links of a root's path; what does not exist stays as it is. Absent: paths are taken as they are. */
  readonly realPath?: (path: string) => string;
};

/** The absolute path of a root: `.` is the workspace, `~` the home, others lie in the workspace. Null: it is none. */
export function rootPath(text: string, context: PolicyContext): string | null {
  if (makeVisible(text) !== text || /^~[^/]/u.test(text) || text === "") return null;
  const absolute = text.startsWith("/") ? text : text === "~" || text.startsWith("~/") ? `${context.home}${text.slice(1)}` : `${context.workspace}/${text}`;
  const path = normalisePath(absolute);
  return context.realPath === undefined ? path : context.realPath(path);
}

/** Why a text is no path pattern; null when it is one. */
export function patternFault(text: string): string | null {
  if (makeVisible(text) !== text) return "it holds invisible characters";
  if (text.startsWith("!") || text.startsWith("#")) return "a pattern cannot be negated or commented out";
  if (/[{}]/u.test(text)) return "braces are not read; write one pattern for each alternative";
  if (/^~[^/]/u.test(text)) return "another user's home is not known";
  if (text.split("/").some((component) => component === ".." || component === ".")) return "`.` and `..` are not read in patterns";
  if (/\[[^\]]*\[[=.]/u.test(text)) return "`[=a=]` and `[.a.]` depend on the machine's language; list the characters: `[a-z]`";
  if (text.split("/").some((component) => component.includes("**") && component !== "**")) return "`**` stands for whole directories: `a/**/b`";
  return null;
}

/** The pattern of exactly this absolute path and what lies below it. */
export function literalPattern(path: string): string {
  return escape(path);
}

/** The absolute pattern: `~/…` below the home, two stars anywhere, others in the workspace. */
export function absolutePattern(text: string, context: PolicyContext): string {
  const trimmed = text.replaceAll(/\/{2,}/gu, "/").replace(/(?<=.)\/$/u, "");
  if (trimmed.startsWith("/")) return trimmed;
  if (trimmed === "**" || trimmed.startsWith("**/")) return `/${trimmed}`;
  if (trimmed === "~" || trimmed.startsWith("~/")) return `${escape(context.home)}${trimmed.slice(1)}`;
  return `${escape(context.workspace)}/${trimmed}`;
}
