import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { changeRequests, landChange } from "./change.ts";
import { locate, showPath } from "../contract/location.ts";
import { MAX_FILE_BYTES } from "./read.ts";
import { endingError, trustedError } from "../contract/result.ts";
import { writeFileSchema } from "../contract/input-schemas.ts";
import { decodeTextFile } from "./text-file.ts";
import { defineTool } from "../contract/define.ts";

/** Writes a whole file atomically. What exists may be overwritten only as it was last read in this run. */
export const writeFileTool = defineTool({
  name: "write_file",
  aliases: TOOL_NAMES.write_file,
  description: "Creates a file, or replaces the whole content of one that was read before in this run. For a change of a part, use edit_file.",
  schema: writeFileSchema,
  traits: { exclusiveSandbox: false, parallelSafe: true, tier: "workspace-write", history: { summaryArgument: "path" } },
  requests: (input, setting) => changeRequests(locate(input.path, setting)),
  rewrites: (input, setting) => ({ path: locate(input.path, setting), after: () => ({ text: input.content }), refuses: whyUnseen }),
  async execute(input, context) {
    const path = locate(input.path, context);
    const shown = showPath(path, context);
    const existing = await context.handles.files.read(path, 0, MAX_FILE_BYTES);
    let before = "";
    let expected: string | null = null;
    if (existing.kind === "completed" && existing.result.kind === "read-file") {
      expected = existing.result.sha256;
      const seen = context.seen.get(path);
      const problem = whyUnseen(expected, seen);
      if (problem !== null) return trustedError(problem);
      before = decodeTextFile(existing.result.bytes)?.text ?? "";
    } else if (existing.kind !== "failed" || existing.code !== "not-found") {
      return existing.kind === "completed" ? trustedError("Failed: the sandbox answered with something else.") : endingError(existing, `writing ${shown}`);
    }
    const { content } = input;
    const done = `${expected === null ? "Created" : "Overwrote"} ${shown} (${Buffer.byteLength(content)} bytes)`;
    return await landChange(context, "writing", { path, content, expected, before, after: content, done });
  },
});

function whyUnseen(now: string | null, seen: string | undefined): string | null {
  if (now === null || now === seen) return null;
  if (seen === undefined) return "The file exists and was not read in this run. Read it first, then overwrite it.";
  return "The file changed since it was read. Read it again, then overwrite it.";
}
