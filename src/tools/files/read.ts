import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { locate, showPath } from "../contract/location.ts";
import { endingError, trustedError, untrustedText } from "../contract/result.ts";
import { readFileSchema } from "../contract/input-schemas.ts";
import { countLines, decodeTextFile, linesFrom, startOfLine, takeLines } from "./text-file.ts";
import { defineTool } from "../contract/define.ts";

/** The most that one read returns; larger files are read in pieces. */
export const MAX_READ_OUTPUT_BYTES = 250 * 1024;
/** The largest file that is opened at all: the session's own limit for one read. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Returns lines of a text file, and remembers its hash so that the file may be overwritten later. */
export const readFileTool = defineTool({
  name: "read_file",
  aliases: TOOL_NAMES.read_file,
  description: "Reads a text file of at most 10 MiB. Returns at most 250 KiB of lines; offset and limit (in lines, from 1) choose which.",
  schema: readFileSchema,
  traits: { exclusiveSandbox: false, parallelSafe: true, tier: "read-only", history: { dedupArgument: "path", summaryArgument: "path" } },
  prepare: (input) => ("file_path" in input && !("path" in input) ? withPath(input) : input),
  requests: (input, setting) => [{ kind: "read", path: locate(input.path, setting), isRecursive: false }],
  async execute(input, context) {
    const path = locate(input.path, context);
    const shown = showPath(path, context);
    const outcome = await context.handles.files.read(path, 0, MAX_FILE_BYTES);
    if (outcome.kind !== "completed") return endingError(outcome, `reading ${shown}`);
    if (outcome.result.kind !== "read-file") return trustedError("Failed: the sandbox answered with something else.");
    if (outcome.result.size > MAX_FILE_BYTES)
      return trustedError(`${outcome.result.size} bytes are more than read_file opens (10 MiB). Use grep_search or shell to look at a part of it.`);
    context.seen.set(path, outcome.result.sha256);
    const file = decodeTextFile(outcome.result.bytes);
    if (!file) return trustedError(`This is a binary file of ${outcome.result.size} bytes; it has no text to show.`);
    const part = selectLines(file.text, { offset: input.offset ?? 1, limit: input.limit, maxBytes: MAX_READ_OUTPUT_BYTES });
    const note = file.isExact ? "" : ", some bytes are not UTF-8 and are shown as \uFFFD";
    return untrustedText(`${shown}: ${part.summary}${note}\n${part.text}${part.continuation}`, { sha256: outcome.result.sha256, size: outcome.result.size });
  },
});

export type LineSelection = { readonly offset: number; readonly limit: number | undefined; readonly maxBytes: number };

/** The chosen lines as far as `maxBytes` carry, a summary ("lines 3-9 of 40"), and how to go on ("" at the end). */
export function selectLines(text: string, selection: LineSelection): { readonly summary: string; readonly text: string; readonly continuation: string } {
  const count = countLines(text);
  if (count === 0) return { summary: "empty file", text: "", continuation: "" };
  if (selection.offset > count) return { summary: `no line ${selection.offset}, the file has ${count}`, text: "", continuation: "" };
  const start = startOfLine(text, selection.offset - 1);
  const taken: string[] = [];
  let bytes = 0;
  for (const line of linesFrom(text, start)) {
    bytes += Buffer.byteLength(line);
    if (bytes > selection.maxBytes || taken.length >= (selection.limit ?? count)) break;
    taken.push(line);
  }
  if (taken.length === 0) {
    // One line that is longer than everything we return: its head, on a character boundary.
    const head = Buffer.from(takeLines(text, 1, start)[0] ?? "")
      .subarray(0, selection.maxBytes)
      .toString("utf8")
      .replace(/\uFFFD+$/u, "");
    taken.push(`${head}\n[… the rest of this line is cut …]\n`);
  }
  const last = selection.offset + taken.length - 1;
  const summary = `lines ${selection.offset}-${last} of ${count}`;
  const continuation = last < count ? `\n[${count - last} more lines; continue with offset ${last + 1}]` : "";
  return { summary, text: taken.join(""), continuation };
}

function withPath(input: Record<string, unknown>): Record<string, unknown> {
  const { file_path: path, ...rest } = input;
  return { ...rest, path };
}
