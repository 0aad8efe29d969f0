import type { Diff, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { visibleJson } from "../../base/text.ts";
import { lowerName, TOOL_NAMES } from "../../policy/tool-names.ts";
import { locate } from "../../tools/contract/location.ts";
import type { ToolSetting } from "../../tools/contract/tool.ts";
import { inlineCode } from "../text/markdown.ts";

type ToolName = keyof typeof TOOL_NAMES;

const KINDS: Readonly<Partial<Record<ToolName, ToolKind>>> = {
  agent: "think",
  agent_crew: "think",
  apply_patch: "edit",
  browser: "fetch",
  code: "search",
  code_rewrite: "edit",
  edit_file: "edit",
  glob_search: "search",
  grep_search: "search",
  http_request: "fetch",
  language_server: "search",
  list_files: "read",
  list_jobs: "read",
  memory_recall: "search",
  notebook_edit: "edit",
  plan_done: "switch_mode",
  powershell: "execute",
  read_artifact: "read",
  read_file: "read",
  read_job: "read",
  rename_symbol: "edit",
  repl: "execute",
  script: "execute",
  shell: "execute",
  start_job: "execute",
  stop_job: "execute",
  todo_write: "think",
  tool_search: "search",
  web_fetch: "fetch",
  web_search: "fetch",
  write_file: "edit",
};

const CANONICAL: ReadonlyMap<string, ToolName> = new Map(
  (Object.keys(TOOL_NAMES) as ToolName[]).flatMap((name) => [name, ...TOOL_NAMES[name]].map((each) => [each, name] as const)),
);
/** The arguments that say in a word what a call is about, the best first. */
const TELLING = ["command", "path", "file_path", "paths", "url", "pattern", "query", "task", "code"] as const;
/** More than any call changes that a person reads. */
const MAX_LOCATIONS = 50;

/** What an editor shows of a call before there is anything of it. */
type ShownCall = { readonly title: string; readonly kind: ToolKind; readonly locations: ToolCallLocation[] };

export function shownCall(name: string, input: unknown, setting: ToolSetting): ShownCall {
  const canonical = CANONICAL.get(lowerName(name));
  const values = valuesOf(input);
  const about = TELLING.map((key) => values[key]).find((value) => value !== undefined);
  const words = typeof about === "string" ? about : visibleJson(about);
  const title = about === undefined ? inlineCode(name) : `${inlineCode(name)} ${inlineCode(words)}`;
  return {
    title,
    kind: (canonical === undefined ? undefined : KINDS[canonical]) ?? "other",
    locations: canonical === undefined ? [] : pathsIn(values).map((path) => ({ path: locate(path, setting) })),
  };
}

function valuesOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? (input as Readonly<Record<string, unknown>>) : {};
}

function pathsIn({ path, file_path: other, paths, files }: Readonly<Record<string, unknown>>): readonly string[] {
  const many = Array.isArray(paths) ? paths : Array.isArray(files) ? files.map((each) => valuesOf(each)["path"]) : [];
  return [path ?? other, ...(many as readonly unknown[])].filter((each) => typeof each === "string").slice(0, MAX_LOCATIONS);
}

const HEADER = /^@@ -(?<from>\d+),(?<removed>\d+) \+\d+,(?<added>\d+) @@$/u;

/** The hunk in a text that Warder's tools describe a change with, as the two texts that an editor compares; null: there is none, or not all of it. */
export function hunkIn(text: string, path: string): { readonly diff: Diff; readonly line: number } | null {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => HEADER.test(line));
  const { from, removed, added } = HEADER.exec(lines[at] ?? "")?.groups ?? {};
  if (from === undefined) return null;
  const before: string[] = [];
  const after: string[] = [];
  for (const line of lines.slice(at + 1)) {
    if (before.length === Number(removed) && after.length === Number(added)) break;
    const rest = line.slice(1);
    if (line.startsWith(" ") || line.startsWith("-")) before.push(rest);
    if (line.startsWith(" ") || line.startsWith("+")) after.push(rest);
    if (!/^[ +-]/u.test(line)) return null;
  }
  if (before.length !== Number(removed) || after.length !== Number(added)) return null;
  return { diff: { path, oldText: before.length === 0 ? null : before.join("\n"), newText: after.join("\n") }, line: Number(from) };
}
