import { describeChange } from "../files/diff.ts";
import { encodeTextFile } from "../files/text-file.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { showPath } from "../contract/location.ts";
import { endingError, untrustedError, untrustedText } from "../contract/result.ts";
import type { ToolContext, ToolResult } from "../contract/tool.ts";

/** Lines of a file's diff that are shown. */
const MOST_DIFF_LINES = 40;

/** A file as it was read, and its text as it is to be. */
export type Rewritten = { readonly path: string; readonly sha256: string; readonly before: string; readonly after: string; readonly hasByteOrderMark: boolean };

/**
 * Writes all of these files, or none: each as it was read, and what was written is put back when a later one cannot be. Answers with a diff of each.
 * `done`: how it went, a line.
 */
export async function writeAll(context: ToolContext, files: readonly Rewritten[], done: string): Promise<ToolResult> {
  const written: { readonly file: Rewritten; readonly sha256: string }[] = [];
  for (const file of files) {
    const outcome = await context.handles.files.write(file.path, encodeTextFile(file.after, file.hasByteOrderMark), file.sha256);
    if (outcome.kind === "completed" && outcome.result.kind === "write-file") {
      written.push({ file, sha256: outcome.result.sha256 });
      continue;
    }
    const kept = await putBack(context, written);
    const why =
      outcome.kind === "completed"
        ? endingError({ kind: "failed", code: "io", reason: "", durationMs: 0 }, "writing")
        : endingError(outcome, `writing ${showPath(file.path, context)}`);
    const left =
      kept.length === 0
        ? "Nothing was changed."
        : `These could not be put back, look at them: ${kept.map((path) => makeVisibleLine(showPath(path, context))).join(", ")}.`;
    return { ...why, content: [...why.content, { kind: "text", text: left }] };
  }
  for (const { file, sha256 } of written) context.seen.set(file.path, sha256);
  const diffs = files.map((file) => `${makeVisibleLine(showPath(file.path, context))}\n${describeChange(file.before, file.after, MOST_DIFF_LINES)}`);
  return untrustedText([done, ...diffs].join("\n"), { files: files.length });
}

/** Gives the paths of those that stay changed. */
async function putBack(context: ToolContext, written: readonly { readonly file: Rewritten; readonly sha256: string }[]): Promise<readonly string[]> {
  const kept: string[] = [];
  for (const { file, sha256 } of written.toReversed()) {
    const outcome = await context.handles.files.write(file.path, encodeTextFile(file.before, file.hasByteOrderMark), sha256);
    if (outcome.kind !== "completed") kept.push(file.path);
  }
  return kept;
}

export function nothingChanged(problem: string): ToolResult {
  return untrustedError(`${problem} Nothing was changed.`);
}
