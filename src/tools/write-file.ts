import { describeChange } from "./line-change.ts";
import { locate, showPath } from "./location.ts";
import { MAX_FILE_BYTES } from "./read-file.ts";
import { endingError, trustedError, untrustedText } from "./result.ts";
import { writeFileSchema } from "./schema.ts";
import { decodeTextFile } from "./text-file.ts";
import type { Tool } from "./tool.ts";

/** Writes a whole file atomically. What exists may be overwritten only as it was last read in this run. */
export const writeFileTool: Tool<typeof writeFileSchema> = {
  name: "write_file",
  aliases: ["fs_write", "file_write"],
  description: "Creates a file, or replaces the whole content of one that was read before in this run. For a change of a part, use edit_file.",
  schema: writeFileSchema,
  traits: { isReadOnly: false, isExclusive: false },
  requests: (input, setting) => {
    const path = locate(input.path, setting);
    return [
      { kind: "read", path, isRecursive: false },
      { kind: "write", path },
    ];
  },
  async execute(input, context) {
    const path = locate(input.path, context);
    const shown = showPath(path, context);
    const existing = await context.handles.files.read(path, 0, MAX_FILE_BYTES);
    let before = "";
    let expected: string | null = null;
    if (existing.kind === "completed" && existing.result.kind === "read-file") {
      expected = existing.result.sha256;
      const seen = context.seen.get(path);
      if (seen === undefined) return trustedError("The file exists and was not read in this run. Read it first, then overwrite it.");
      if (seen !== expected) return trustedError("The file changed since it was read. Read it again, then overwrite it.");
      before = decodeTextFile(existing.result.bytes)?.text ?? "";
    } else if (existing.kind !== "failed" || existing.code !== "not-found") {
      return existing.kind === "completed" ? trustedError("Failed: the sandbox answered with something else.") : endingError(existing, `writing ${shown}`);
    }
    const outcome = await context.handles.files.write(path, input.content, expected);
    if (outcome.kind !== "completed") return endingError(outcome, `writing ${shown}`);
    if (outcome.result.kind !== "write-file") return trustedError("Failed: the sandbox answered with something else.");
    context.seen.set(path, outcome.result.sha256);
    const verb = expected === null ? "Created" : "Overwrote";
    return untrustedText(`${verb} ${shown} (${Buffer.byteLength(input.content)} bytes).\n${describeChange(before, input.content)}`, {
      sha256: outcome.result.sha256,
    });
  },
};
