import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { changeRequests, landChange } from "./change.ts";
import { locate, showPath } from "../contract/location.ts";
import { MAX_FILE_BYTES } from "./read.ts";
import { endingError, trustedError } from "../contract/result.ts";
import { writeFileSchema } from "../contract/file-schemas.ts";
import { decodeTextFile, type TextFile, whyNotRewritten } from "./text-file.ts";
import { describeChange } from "./diff.ts";
import { otherNames } from "../contract/other-names.ts";
import { defineTool } from "../contract/define.ts";

/** Writes a whole file atomically. What exists may be overwritten only as it was last read in this run. */
export const writeFileTool = defineTool({
  name: "write_file",
  aliases: TOOL_NAMES.write_file,
  description: "Creates a file, or replaces the whole content of one that was read before in this run. For a change of a part, use edit_file.",
  schema: writeFileSchema,
  traits: { exclusiveSandbox: false, parallelSafe: true, tier: "workspace-write", history: { summaryArgument: "path" } },
  prepare: otherNames(
    { file_path: "path", filePath: "path", filename: "path", target_file: "path", file_text: "content", contents: "content", text: "content" },
    ["description", "explanation"],
  ),
  requests: (input, setting) => changeRequests(locate(input.path, setting)),
  rewrites: (input, setting) => ({ path: locate(input.path, setting), after: () => ({ text: input.content }), refuses: whyUnseen }),
  async execute(input, context) {
    const path = locate(input.path, context);
    const shown = showPath(path, context);
    const { content } = input;
    const existing = await context.handles.files.read(path, 0, MAX_FILE_BYTES);
    let before = "";
    let expected: string | null = null;
    let lost = "";
    if (existing.kind === "completed" && existing.result.kind === "read-file") {
      expected = existing.result.sha256;
      const problem = whyUnseen(expected, context.seen.get(path));
      if (problem !== null) return trustedError(problem);
      const file = decodeTextFile(existing.result.bytes);
      if (file?.isExact !== true) return trustedError(whyNotRewritten(file));
      before = file.text;
      lost = lostOf(file, content);
    } else if (existing.kind !== "failed" || existing.code !== "not-found") {
      return existing.kind === "completed" ? trustedError("Failed: the sandbox answered with something else.") : endingError(existing, `writing ${shown}`);
    }
    const done = `${expected === null ? "Created" : "Overwrote"} ${shown} (${Buffer.byteLength(content)} bytes)${lost}`;
    return await landChange(context, "writing", { path, content, expected, diff: describeChange(before, content), done });
  },
});

/** What a file had that its new content has not, and a model hardly sees. */
function lostOf({ text, hasByteOrderMark }: TextFile, content: string): string {
  const lost = [];
  if (hasByteOrderMark && !content.startsWith("\uFEFF")) lost.push("its byte-order mark is gone");
  if (text.includes("\r\n") && !content.includes("\r\n") && content.includes("\n")) lost.push("its lines ended in CRLF and end in LF now");
  return lost.length === 0 ? "" : `; ${lost.join(", ")}`;
}

function whyUnseen(now: string | null, seen: string | undefined): string | null {
  if (now === null || now === seen) return null;
  if (seen === undefined) return "The file exists and was not read in this run. Read it first, then overwrite it.";
  return "The file changed since it was read. Read it again, then overwrite it.";
}
