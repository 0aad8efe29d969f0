import { TOOL_NAMES } from "../../policy/tool-names.ts";
import type { DirectoryEntry } from "../../sandbox/outcome.ts";
import { locate, showPath } from "../contract/location.ts";
import { endingError, trustedError, untrustedText } from "../contract/result.ts";
import { listFilesSchema } from "../contract/input-schemas.ts";
import { otherNames } from "../contract/other-names.ts";
import type { ToolContext, ToolResult } from "../contract/tool.ts";
import { matchesGlob, parseGlob } from "../../policy/matching/glob.ts";
import { defineTool } from "../contract/define.ts";

const MAX_ENTRIES = 1000;

/** Lists a directory without following links. */
export const listFilesTool = defineTool({
  name: "list_files",
  aliases: TOOL_NAMES.list_files,
  description: "Lists a directory: names, with / after directories and @ after links, and sizes in bytes. At most 1000 entries.",
  schema: listFilesSchema,
  traits: { exclusiveSandbox: false, parallelSafe: true, tier: "read-only", history: { dedupArgument: "path", summaryArgument: "path" } },
  requests: (input, setting) => [{ kind: "read", path: locate(input.path ?? ".", setting), isRecursive: (input.depth ?? 1) > 1 }],
  prepare: otherNames({ target_directory: "path", relative_workspace_path: "path", dir_path: "path", directory: "path", file_path: "path", ignore: "exclude" }),
  execute: (input, context) => listing(locate(input.path ?? ".", context), { depth: input.depth ?? 1, exclude: input.exclude ?? [] }, context),
});

type ListingOptions = { readonly depth: number; readonly exclude?: readonly string[] };

/** What is in a directory, as far as one result carries. */
export async function listing(path: string, { depth, exclude = [] }: ListingOptions, context: ToolContext): Promise<ToolResult> {
  const shown = showPath(path, context);
  const outcome = await context.handles.files.list(path, depth, MAX_ENTRIES);
  if (outcome.kind !== "completed") return endingError(outcome, `listing ${shown}`);
  if (outcome.result.kind !== "list") return trustedError("Failed: the sandbox answered with something else.");
  const { entries, isTruncated } = outcome.result;
  const isExcluded = excluder(exclude);
  const kept = entries.filter((entry) => !isExcluded(entry.name));
  const shownEntries = kept.filter((entry) => hiddenIn(entry.name) === null);
  const lines = [...shownEntries.map(renderEntry).toSorted(), ...countHidden(kept)];
  if (kept.length < entries.length) lines.push(`[${entries.length - kept.length} entries excluded]`);
  const end = isTruncated ? `\n[Cut at ${MAX_ENTRIES} entries; list a directory below it instead]` : "";
  return untrustedText(`${shown}: ${entries.length} entries${isTruncated ? ", truncated" : ""}\n${lines.join("\n")}${end}`, { isTruncated });
}

/** An entry is out when a glob matches its path below the directory, or the name of any part of that. */
function excluder(globs: readonly string[]): (name: string) => boolean {
  const parsed = globs.map((glob) => parseGlob(glob.replace(/^\*\*\//u, "").replace(/\/(?:\*\*)?$/u, "")));
  return (name) => {
    const parts = name.split("/");
    const tried = [...parts, ...parts.map((_, index) => parts.slice(0, index + 1).join("/"))];
    return parsed.some((glob) => tried.some((each) => matchesGlob(glob, each)));
  };
}

// Nobody who lists a directory looks for their contents, and there are thousands of them. They can be listed by name.
const HIDDEN_CONTENTS: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** The directory, relative to the one that is listed, whose contents are not shown; null for an entry that is. */
function hiddenIn(name: string): string | null {
  const parts = name.split("/");
  const index = parts.findIndex((part) => HIDDEN_CONTENTS.has(part));
  return index >= 0 && index < parts.length - 1 ? parts.slice(0, index + 1).join("/") : null;
}

function countHidden(entries: readonly DirectoryEntry[]): readonly string[] {
  const counts = Map.groupBy(entries, (entry) => hiddenIn(entry.name) ?? "");
  return [...counts].filter(([directory]) => directory !== "").map(([directory, hidden]) => `[${directory}/: ${hidden.length} entries not shown]`);
}

const SUFFIX = { file: "", directory: "/", link: "@", other: "?" } as const;

// A file name may hold a line break, which would forge an entry.
function renderEntry(entry: DirectoryEntry): string {
  const name = entry.name.replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  return entry.type === "file" ? `${name}  ${entry.size}` : `${name}${SUFFIX[entry.type]}`;
}
