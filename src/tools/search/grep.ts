import type { z } from "zod";
import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { locate, showPath } from "../contract/location.ts";
import { plainSearch } from "./plain-text.ts";
import { untrustedText } from "../contract/result.ts";
import { grepSearchSchema } from "../contract/input-schemas.ts";
import { search } from "./ripgrep.ts";
import { renderMatches } from "./output.ts";
import { otherNames } from "../contract/other-names.ts";
import { defineTool } from "../contract/define.ts";

type GrepInput = z.output<typeof grepSearchSchema>;

/** Searches file contents with ripgrep, inside the sandbox. */
export const grepSearchTool = defineTool({
  name: "grep_search",
  aliases: TOOL_NAMES.grep_search,
  description:
    "Searches file contents with a regular expression. Skips what .gitignore names (with glob, its directories alone), .git and binary files. Modes: content, files, count.",
  schema: grepSearchSchema,
  traits: { exclusiveSandbox: false, parallelSafe: true, tier: "read-only", timeoutMs: 300_000, history: { summaryArgument: "pattern" } },
  prepare: grepArguments,
  requests: (input, setting) => [{ kind: "read", path: locate(input.path ?? ".", setting), isRecursive: true }],
  async execute(input, context) {
    const path = locate(input.path ?? ".", context);
    const found = await search(context, path, searchArguments(input));
    if (found.kind === "ended") return found.result;
    if (found.kind === "no-ripgrep") return plainSearch(input, path, context);
    const { stdout, skipped, ending } = found;
    if (stdout.totalBytes === 0 && ending === "") return untrustedText(`No match below ${showPath(path, context)}.${skipped}`, { files: 0 });
    const rendered = renderMatches(stdout.text, {
      mode: input.mode ?? "content",
      maxPerFile: input.max_per_file ?? 5,
      maxFiles: input.max_files ?? 100,
      show: (file) => showPath(file, context),
    });
    return untrustedText(`${rendered.text}${skipped}${ending}`, { files: rendered.files });
  },
});

/**
 * The arguments of `rg`; the path is added by the handle. Whatever a model says is attached to its option
 * with `=`, so that `--pre=…` as a pattern is a pattern. One match more than is shown is asked for, so that
 * a cut can be stated.
 */
export function searchArguments(input: GrepInput): readonly string[] {
  const mode = input.mode ?? "content";
  const shared = ["--no-config", "--color=never", "--hidden", "--glob=!**/.git/**", "--sort=path", "--null", "--with-filename"];
  if (input.ignore_case) shared.push("--ignore-case");
  if (input.glob !== undefined) shared.push(`--glob=${input.glob}`);
  if (mode === "files") shared.push("--files-with-matches");
  if (mode === "count") shared.push("--count-matches");
  if (mode === "content") {
    shared.push("--no-heading", "--line-number", "--max-columns=500", "--max-columns-preview", `--max-count=${(input.max_per_file ?? 5) + 1}`);
    if (input.context) shared.push(`--context=${input.context}`);
    if (input.before !== undefined) shared.push(`--before-context=${input.before}`);
    if (input.after !== undefined) shared.push(`--after-context=${input.after}`);
  }
  return [...shared, `--regexp=${input.pattern}`];
}

const renamed = otherNames({
  query: "pattern",
  regex: "pattern",
  include: "glob",
  include_pattern: "glob",
  file_pattern: "glob",
  dir_path: "path",
  target_directory: "path",
  file_path: "path",
  output_mode: "mode",
  "-i": "ignore_case",
  case_insensitive: "ignore_case",
  "-A": "after",
  "-B": "before",
  "-C": "context",
  head_limit: "max_files",
});

const MODES: Readonly<Record<string, string>> = { files_with_matches: "files", filenames: "files" };

/** What other agents' models say; line numbers (`-n`) are shown anyway. */
function grepArguments(input: Record<string, unknown>): Record<string, unknown> {
  const { "-n": numbers, case_sensitive: isSensitive, ...rest } = renamed(input);
  const { mode } = rest;
  return {
    ...rest,
    ...(typeof mode === "string" && Object.hasOwn(MODES, mode) ? { mode: MODES[mode] } : {}),
    ...(typeof isSensitive === "boolean" && !("ignore_case" in rest)
      ? { ignore_case: !isSensitive }
      : isSensitive === undefined
        ? {}
        : { case_sensitive: isSensitive }),
    ...(numbers === undefined || typeof numbers === "boolean" ? {} : { "-n": numbers }),
  };
}
