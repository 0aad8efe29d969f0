import type { z } from "zod";
import type { Outcome } from "../../sandbox/outcome.ts";
import { showPath } from "../contract/location.ts";
import { endingError, trustedError, untrustedText } from "../contract/result.ts";
import type { grepSearchSchema } from "../contract/input-schemas.ts";
import { renderFiles, renderNames, type SearchView } from "./output.ts";
import type { ToolContext, ToolResult } from "../contract/tool.ts";

type GrepInput = z.output<typeof grepSearchSchema>;
type Found = Extract<Extract<Outcome, { kind: "completed" }>["result"], { kind: "search" }>;

const MAX_LINES = 20_000;

/**
 * `grep_search` in a sandbox without ripgrep: the sandbox itself searches for a plain text. Anything more (a regular expression, a glob, context lines)
 * is refused, with what to do instead.
 */
export async function plainSearch(input: GrepInput, path: string, context: ToolContext): Promise<ToolResult> {
  const text = plainText(input.pattern);
  const ignoresCase = input.ignore_case ?? false;
  const unable = beyondPlain(text, input);
  if (text === null || unable !== null)
    return trustedError(
      `Failed: there is no ripgrep (rg) in this sandbox, and without it a search knows no ${unable ?? ""}. Search for plain text alone, or use shell with grep.`,
    );
  const view: SearchView = {
    mode: input.mode ?? "content",
    maxPerFile: input.max_per_file ?? 5,
    maxFiles: input.max_files ?? 100,
    show: (file) => showPath(file, context),
  };
  // One line more than is shown, or than there are in all, so that a cut can be stated.
  const maxPerFile = { content: view.maxPerFile + 1, files: 1, count: MAX_LINES + 1 }[view.mode];
  const outcome = await context.handles.files.search(path, text, { ignoresCase, maxMatches: MAX_LINES, maxPerFile });
  if (outcome.kind !== "completed") return endingError(outcome, "the search");
  if (outcome.result.kind !== "search") return trustedError("Failed: the sandbox answered with something else.");
  return shown(outcome.result, path, view);
}

function shown(found: Found, path: string, view: SearchView): ToolResult {
  const skipped = found.skipped === 0 ? "" : `\n[Skipped, because they are no text, too long or cannot be read: ${String(found.skipped)}]`;
  const cut = found.isTruncated ? "\n[Not everything was searched: there is more, or it lies deeper, than a search tells; narrow it]" : "";
  const notes = `${cut}${skipped}\n[Searched without ripgrep: for plain text, also in what .gitignore names]`;
  const files = new Map<string, string[]>();
  for (const { name, line, text } of found.lines) {
    const file = name === "" ? path : `${path === "/" ? "" : path}/${name}`;
    const lines = files.get(file) ?? [];
    lines.push(`${String(line)}:${text}`);
    files.set(file, lines);
  }
  if (files.size === 0) return untrustedText(`No match below ${view.show(path)}.${notes}`, { files: 0 });
  const rendered = view.mode === "files" ? renderNames([...files.keys()], view) : renderFiles(view.mode === "count" ? counted(files) : files, view);
  return untrustedText(`${rendered.text}${notes}`, { files: rendered.files });
}

function counted(files: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly string[]> {
  return new Map([...files].map(([file, lines]) => [file, [lines.length === 1 ? "1 line" : `${String(lines.length)} lines`]]));
}

/** The text that a pattern stands for when nothing in it is a sign of the language of patterns; null otherwise. */
function plainText(pattern: string): string | null {
  return /^(?:[^\\^$.|?*+()[\]{}\n]|\\[\\^$.|?*+()[\]{}])+$/u.test(pattern) ? pattern.replaceAll(/\\(.)/gu, "$1") : null;
}

/** What of a search is more than a plain text; null: nothing. */
function beyondPlain(text: string | null, { mode = "content", context = 0, before = 0, after = 0, glob, ignore_case: ignoresCase }: GrepInput): string | null {
  if (text === null) return "regular expression";
  // As ripgrep has it, they belong to the mode content alone.
  if (mode === "content" && context + before + after > 0) return "lines around a match";
  if (glob !== undefined) return "`glob`";
  return ignoresCase === true && /[^\0-\x7f]/u.test(text) ? "letters beyond ASCII in either case" : null;
}
