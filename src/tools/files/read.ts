import type { z } from "zod";
import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { locate, showPath } from "../contract/location.ts";
import { endingError, trustedError, untrustedText } from "../contract/result.ts";
import { MAX_FILES_OF_READ, readFileSchema } from "../contract/file-schemas.ts";
import { otherNames } from "../contract/other-names.ts";
import type { ContentPart, ToolContext, ToolResult } from "../contract/tool.ts";
import { imageOf } from "./image-file.ts";
import { selectLines } from "./lines.ts";
import { listing } from "./list.ts";
import { decodeTextFile } from "./text-file.ts";
import { defineTool } from "../contract/define.ts";

/** The most that one call returns; larger files are read in pieces. */
const MAX_OUTPUT_BYTES = 250 * 1024;
/** The largest file that is opened at all: the session's own limit for one read. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

type ReadInput = z.output<typeof readFileSchema>;
type Wanted = NonNullable<ReadInput["files"]>[number];

/** Returns lines of text files, images, and what is in directories; remembers each file's hash so that it may be overwritten later. */
export const readFileTool = defineTool({
  name: "read_file",
  aliases: TOOL_NAMES.read_file,
  description: `Reads text files and images of at most 10 MiB, up to ${MAX_FILES_OF_READ} in one call by \`files\`. Returns at most 250 KiB of lines; offset and limit (in lines, from 1) choose which. A directory is listed.`,
  schema: readFileSchema,
  traits: { exclusiveSandbox: false, parallelSafe: true, tier: "read-only", history: { dedupArgument: "path", summaryArgument: "path" } },
  prepare: readArguments,
  validate: ({ path, files, offset, limit }) => {
    if (path === undefined && files === undefined) return "path is missing; name a file by path, or several by files";
    if (files === undefined) return null;
    return path === undefined && offset === undefined && limit === undefined ? null : "path, offset and limit stand in each of files, not beside it";
  },
  requests: (input, setting) => wantedOf(input).map(({ path }) => ({ kind: "read", path: locate(path, setting), isRecursive: false })),
  async execute(input, context) {
    const wanted = wantedOf(input);
    if (input.files === undefined) return await readOne({ path: input.path ?? ".", offset: input.offset, limit: input.limit }, context, MAX_OUTPUT_BYTES);
    const results: ToolResult[] = [];
    let left = MAX_OUTPUT_BYTES;
    for (const each of wanted) {
      const result =
        left > 0
          ? await readOne(each, context, left)
          : trustedError(`Not read: ${each.path}. The files before it fill one result; read it in a call of its own.`);
      for (const part of result.content) if (part.kind === "text") left -= Buffer.byteLength(part.text);
      results.push(result);
    }
    return together(results);
  },
});

function wantedOf({ path = ".", files, offset, limit }: ReadInput): readonly Wanted[] {
  return files ?? [{ path, offset, limit }];
}

/** One result of several: it is an error when nothing could be read. */
function together(results: readonly ToolResult[]): ToolResult {
  const content = results.flatMap<ContentPart>(({ content: parts, isError }) =>
    parts.map((part) => (part.kind === "text" ? { kind: "text", text: `${isError ? "[error] " : ""}${part.text}\n` } : part)),
  );
  return { content, isError: results.every(({ isError }) => isError), label: "untrusted", details: { files: results.length } };
}

async function readOne({ path: named, offset, limit }: Wanted, context: ToolContext, maxBytes: number): Promise<ToolResult> {
  const path = locate(named, context);
  const shown = showPath(path, context);
  const outcome = await context.handles.files.read(path, 0, MAX_FILE_BYTES);
  if (outcome.kind === "failed" && outcome.code === "is-directory") return await listing(path, { depth: 1 }, context);
  if (outcome.kind !== "completed") return endingError(outcome, `reading ${shown}`);
  if (outcome.result.kind !== "read-file") return trustedError("Failed: the sandbox answered with something else.");
  const { bytes, size, sha256 } = outcome.result;
  if (size > MAX_FILE_BYTES) return trustedError(`${size} bytes are more than read_file opens (10 MiB). Use grep_search or shell to look at a part of it.`);
  context.seen.set(path, sha256);
  const image = imageOf(bytes);
  if (image !== null)
    return {
      content: [{ kind: "text", text: `${shown}: ${image.mediaType}, ${size} bytes` }, image],
      isError: false,
      label: "untrusted",
      details: { sha256, size },
    };
  const file = decodeTextFile(bytes);
  if (!file) return trustedError(`This is a binary file of ${size} bytes; it has no text to show. Use shell with a program that knows what it is.`);
  const part = selectLines(file.text, { offset: offset ?? 1, limit, maxBytes });
  const note =
    file.encoding === "UTF-8" ? (file.isExact ? "" : ", some bytes are not UTF-8 and are shown as \uFFFD") : `, ${file.encoding} text, shown as UTF-8`;
  return untrustedText(`${shown}: ${part.summary}${note}\n${part.text}${part.continuation}`, { sha256, size });
}

const NAMES = {
  file_path: "path",
  filePath: "path",
  filepath: "path",
  file: "path",
  filename: "path",
  absolute_path: "path",
  absolutePath: "path",
  target_file: "path",
  relative_workspace_path: "path",
  start_line: "offset",
  line_start: "offset",
  start_line_one_indexed: "offset",
  end_line_one_indexed_inclusive: "end_line",
  line_end: "end_line",
};

const renamed = otherNames(NAMES, ["description", "explanation", "should_read_entire_file"]);

/** What other agents' models say: `paths: ["a", "b"]`, and the last line in place of how many. */
function readArguments(input: Record<string, unknown>): Record<string, unknown> {
  const { paths, ...rest } = input;
  const own = withLimit(renamed(paths === undefined || "files" in rest ? input : { ...rest, files: paths }));
  const { files } = own;
  if (!Array.isArray(files)) return own;
  return { ...own, files: files.map((file: unknown) => (typeof file === "string" ? { path: file } : isRecord(file) ? withLimit(renamed(file)) : file)) };
}

function withLimit(input: Record<string, unknown>): Record<string, unknown> {
  const { end_line: last, ...rest } = input;
  const { offset: first = 1 } = rest;
  if (typeof last !== "number" || typeof first !== "number" || "limit" in rest) return input;
  return { ...rest, limit: last - first + 1 };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
