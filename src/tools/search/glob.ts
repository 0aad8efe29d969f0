import type { z } from "zod";
import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { locate, showPath } from "../contract/location.ts";
import { untrustedText } from "../contract/result.ts";
import { globSearchSchema } from "../contract/input-schemas.ts";
import { listedGlob } from "./listed.ts";
import { search } from "./ripgrep.ts";
import { renderMatches } from "./output.ts";
import { otherNames } from "../contract/other-names.ts";
import { defineTool } from "../contract/define.ts";

type GlobInput = z.output<typeof globSearchSchema>;

/** Finds files by the pattern of their path with ripgrep, inside the sandbox. */
export const globSearchTool = defineTool({
  name: "glob_search",
  aliases: TOOL_NAMES.glob_search,
  description: "Finds files by a pattern of their path, sorted. Follows no link, and skips .git and the directories that .gitignore names.",
  schema: globSearchSchema,
  traits: { exclusiveSandbox: false, parallelSafe: true, tier: "read-only", timeoutMs: 300_000, history: { summaryArgument: "pattern" } },
  prepare: otherNames({ query: "pattern", glob_pattern: "pattern", file_pattern: "pattern", dir_path: "path", target_directory: "path", limit: "max_files" }),
  requests: (input, setting) => [{ kind: "read", path: locate(input.path ?? ".", setting), isRecursive: true }],
  async execute(input, context) {
    const path = locate(input.path ?? ".", context);
    const found = await search(context, path, globArguments(input));
    if (found.kind === "ended") return found.result;
    if (found.kind === "no-ripgrep") return listedGlob(input, path, context);
    const { stdout, skipped, ending } = found;
    if (stdout.totalBytes === 0 && ending === "") return untrustedText(`No file matches below ${showPath(path, context)}.${skipped}`, { files: 0 });
    // A file name may hold a line break, which would forge another name.
    const show = (file: string): string => showPath(file, context).replaceAll("\n", "\\n").replaceAll("\r", "\\r");
    const rendered = renderMatches(stdout.text, { mode: "files", maxPerFile: 1, maxFiles: input.max_files ?? 200, show });
    return untrustedText(`${rendered.text}${skipped}${ending}`, { files: rendered.files });
  },
});

/** The arguments of `rg`, the pattern attached to its option. What is skipped comes last, where no pattern takes it back. */
function globArguments({ pattern }: GlobInput): readonly string[] {
  return ["--files", "--color=never", "--hidden", "--sort=path", "--null", `--glob=${pattern}`, "--glob=!**/.git/**"];
}
