import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { changeRequests, landChange } from "./change.ts";
import { locate, showPath } from "../contract/location.ts";
import { MAX_FILE_BYTES } from "./read.ts";
import { replaceExactly } from "./replacement.ts";
import { endingError, trustedError, untrustedError } from "../contract/result.ts";
import { editFileSchema } from "../contract/input-schemas.ts";
import { decodeTextFile, encodeTextFile } from "./text-file.ts";
import { defineTool } from "../contract/define.ts";

/** Replaces exact text in a file: one occurrence, or all when asked. Line endings and byte-order mark stay. */
export const editFileTool = defineTool({
  name: "edit_file",
  aliases: TOOL_NAMES.edit_file,
  description: "Replaces exact text in a file. old_string must occur exactly once unless replace_all is true. Returns the changed lines.",
  schema: editFileSchema,
  traits: { exclusiveSandbox: false, parallelSafe: true, tier: "workspace-write", history: { summaryArgument: "path" } },
  requests: (input, setting) => changeRequests(locate(input.path, setting)),
  rewrites: (input, setting) => ({
    path: locate(input.path, setting),
    after: (before) => {
      if (before === null) return { problem: "there is no such file, or none whose text can be shown" };
      const change = replaceExactly(before, { from: input.old_string, to: input.new_string, isAll: input.replace_all ?? false });
      if (change.kind === "replaced") return { text: change.text };
      return { problem: change.kind === "absent" ? "the text that it replaces is not in the file" : "the text that it replaces is in the file more than once" };
    },
  }),
  async execute(input, context) {
    if (input.old_string === input.new_string) return trustedError("old_string and new_string are the same: there is nothing to change.");
    const path = locate(input.path, context);
    const shown = showPath(path, context);
    const existing = await context.handles.files.read(path, 0, MAX_FILE_BYTES);
    if (existing.kind !== "completed") return endingError(existing, `editing ${shown}`);
    if (existing.result.kind !== "read-file") return trustedError("Failed: the sandbox answered with something else.");
    if (existing.result.size > MAX_FILE_BYTES) return trustedError("The file is larger than edit_file opens (10 MiB).");
    const file = decodeTextFile(existing.result.bytes);
    if (!file?.isExact) return trustedError("The file is not UTF-8 text, so it cannot be edited without damage.");
    const change = replaceExactly(file.text, { from: input.old_string, to: input.new_string, isAll: input.replace_all ?? false });
    if (change.kind === "absent") return untrustedError(`old_string does not occur in ${shown}. ${nearestHint(change.nearest)}`);
    if (change.kind === "ambiguous")
      return trustedError(`old_string occurs ${change.count} times (lines ${change.lines.join(", ")}). Add lines around it, or set replace_all.`);
    if (change.kind === "too-long") return trustedError("The file would be longer than edit_file writes (10 MiB).");
    return await landChange(context, "editing", {
      path,
      content: encodeTextFile(change.text, file.hasByteOrderMark),
      expected: existing.result.sha256,
      before: file.text,
      after: change.text,
      done: `Edited ${shown} (${change.count} replaced)`,
      details: { count: change.count },
    });
  },
});

function nearestHint(nearest: { readonly line: number; readonly text: string } | null): string {
  return nearest ? `The nearest is line ${nearest.line}: ${nearest.text}` : "No line is like it; read the file again.";
}
