import { TOOL_NAMES } from "../policy/tool-names.ts";
import type { z } from "zod";
import { locate, showPath } from "./location.ts";
import { describeEnding, endingError, trustedError, untrustedError, untrustedText } from "./result.ts";
import { grepSearchSchema } from "./schema.ts";
import { renderMatches } from "./search-output.ts";
import type { Tool } from "./tool.ts";

type GrepInput = z.output<typeof grepSearchSchema>;

/** Searches file contents with ripgrep, inside the sandbox. */
export const grepSearchTool: Tool<typeof grepSearchSchema> = {
  name: "grep_search",
  aliases: TOOL_NAMES.grep_search,
  description: "Searches file contents with a regular expression. Skips what .gitignore names, .git and binary files. Modes: content, files, count.",
  schema: grepSearchSchema,
  traits: { isReadOnly: true, isExclusive: false },
  requests: (input, setting) => [{ kind: "read", path: locate(input.path ?? ".", setting), isRecursive: true }],
  async execute(input, context) {
    const path = locate(input.path ?? ".", context);
    const outcome = await context.handles.shell.search(path, searchArguments(input));
    const ran = outcome.kind === "completed" ? outcome.result : "partial" in outcome ? outcome.partial : null;
    if (outcome.kind !== "completed" && ran === null) return endingError(outcome, "the search");
    if (ran?.kind !== "exec") return trustedError("Failed: the sandbox answered with something else.");
    const unread = unreadableFiles(ran.stderr.text, path);
    const isBroken = ran.exitCode !== 0 && ran.exitCode !== 1 && unread === null && outcome.kind === "completed";
    if (isBroken && ran.stdout.totalBytes === 0) return untrustedError(`The search failed: ${ran.stderr.text.slice(0, 2000)}`);
    const skipped = unread === null || unread === 0 ? "" : `\n[Skipped, because they cannot be read: ${unread}]`;
    if (ran.stdout.totalBytes === 0 && outcome.kind === "completed") return untrustedText(`No match below ${showPath(path, context)}.${skipped}`, { files: 0 });
    const rendered = renderMatches(ran.stdout.text, {
      mode: input.mode ?? "content",
      maxPerFile: input.max_per_file ?? 5,
      maxFiles: input.max_files ?? 100,
      show: (file) => showPath(file, context),
    });
    const ending = outcome.kind === "completed" ? "" : `\n[${describeEnding(outcome, "the search")}]`;
    const cut = ran.stdout.cutBytes > 0 ? `\n[${ran.stdout.cutBytes} bytes of the search's output were cut; narrow it]` : "";
    return untrustedText(`${rendered.text}${skipped}${cut}${ending}`, { files: rendered.files });
  },
};

/**
 * How many files ripgrep could not open: it ends with 2 for those as for a fault, though a masked file below the path
 * is none. Null when it says anything else, or could not open the path itself.
 */
function unreadableFiles(stderr: string, path: string): number | null {
  const lines = stderr.split("\n").filter((line) => line !== "");
  const isRoot = (line: string) => line.replace(/^rg: /u, "").startsWith(`${path}: `);
  return lines.every((line) => / \(os error \d+\)$/u.test(line) && !isRoot(line)) ? lines.length : null;
}

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
  }
  return [...shared, `--regexp=${input.pattern}`];
}
