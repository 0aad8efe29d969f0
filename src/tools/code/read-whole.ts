import { showPath } from "../contract/location.ts";
import { describeEnding } from "../contract/result.ts";
import type { ToolContext } from "../contract/tool.ts";
import { decodeTextFile, whyNotRewritten } from "../files/text-file.ts";
import type { Rewritten } from "./write-all.ts";

/** Of one file: a larger one is generated. */
const MOST_BYTES = 1024 * 1024;
const MOST_BYTES_TOGETHER = 8 * 1024 * 1024;

/** Each file as it is, or why one of them cannot be rewritten. */
export async function readWhole(context: ToolContext, paths: readonly string[]): Promise<readonly Omit<Rewritten, "after">[] | string> {
  const files: Omit<Rewritten, "after">[] = [];
  let bytes = 0;
  for (const path of paths) {
    const shown = showPath(path, context);
    const outcome = await context.handles.files.read(path, 0, MOST_BYTES);
    if (outcome.kind !== "completed") return describeEnding(outcome, `reading ${shown}`);
    if (outcome.result.kind !== "read-file") return "The sandbox answered with something else.";
    const { size, sha256 } = outcome.result;
    bytes += size;
    if (size > MOST_BYTES || bytes > MOST_BYTES_TOGETHER) return `${shown} is too long (1 MiB a file, 8 MiB together).`;
    const text = decodeTextFile(outcome.result.bytes);
    if (text?.isExact !== true) return `${shown}: ${whyNotRewritten(text)}`;
    files.push({ path, sha256, before: text.text, hasByteOrderMark: text.hasByteOrderMark });
  }
  return files;
}
