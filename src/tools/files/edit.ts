import type { z } from "zod";
import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { changeRequests, landChange } from "./change.ts";
import { locate, showPath } from "../contract/location.ts";
import { MAX_FILE_BYTES } from "./read.ts";
import { applyEdits, type Edit } from "./edits.ts";
import { endingError, trustedError, untrustedError } from "../contract/result.ts";
import { editFileSchema } from "../contract/file-schemas.ts";
import { otherNames } from "../contract/other-names.ts";
import { decodeTextFile, encodeTextFile, whyNotRewritten } from "./text-file.ts";
import { defineTool } from "../contract/define.ts";

type EditInput = z.output<typeof editFileSchema>;

/** Replaces exact text in a file, or inserts lines: one change, or several of which all are made or none. Line endings and byte-order mark stay. */
export const editFileTool = defineTool({
  name: "edit_file",
  aliases: TOOL_NAMES.edit_file,
  description:
    "Replaces exact text in a file, or inserts lines after a line (insert_line). old_string must occur exactly once unless replace_all is true. Several changes go in edits: all are made, or none. Returns the changed lines.",
  schema: editFileSchema,
  traits: { exclusiveSandbox: false, parallelSafe: true, tier: "workspace-write", history: { summaryArgument: "path" } },
  prepare: editArguments,
  validate: (input) => {
    const { edits, old_string: from, new_string: to, replace_all: isAll, insert_line: line } = input;
    if (edits !== undefined && [from, to, isAll, line].some((each) => each !== undefined)) return "give either edits, or one change by the other arguments";
    const all = editsOf(input);
    const faults = all.flatMap((edit, index) => {
      const fault = faultOf(edit);
      return fault === null ? [] : [all.length === 1 ? fault : `edit ${index + 1}: ${fault}`];
    });
    return faults[0] ?? null;
  },
  requests: (input, setting) => changeRequests(locate(input.path, setting)),
  rewrites: (input, setting) => ({
    path: locate(input.path, setting),
    after: (before) => {
      if (before === null) return { problem: "there is no such file, or none whose text can be shown" };
      const edited = applyEdits(before, editsOf(input));
      return edited.kind === "edited" ? { text: edited.text } : { problem: edited.reason };
    },
  }),
  async execute(input, context) {
    const edits = editsOf(input);
    if (edits.every((edit) => edit.old_string === edit.new_string)) return trustedError("old_string and new_string are the same: there is nothing to change.");
    const path = locate(input.path, context);
    const shown = showPath(path, context);
    const existing = await context.handles.files.read(path, 0, MAX_FILE_BYTES);
    if (existing.kind !== "completed") return endingError(existing, `editing ${shown}`);
    if (existing.result.kind !== "read-file") return trustedError("Failed: the sandbox answered with something else.");
    if (existing.result.size > MAX_FILE_BYTES) return trustedError("The file is larger than edit_file opens (10 MiB).");
    const file = decodeTextFile(existing.result.bytes);
    if (!file?.isExact) return trustedError(whyNotRewritten(file));
    const edited = applyEdits(file.text, edits);
    if (edited.kind === "refused") return (edited.isQuoting ? untrustedError : trustedError)(`${shown}: ${edited.problem}`);
    const { replaced, inserted } = edited;
    const counts = [...(replaced > 0 || inserted === 0 ? [`${replaced} replaced`] : []), ...(inserted > 0 ? [`${inserted} lines inserted`] : [])];
    return await landChange(context, "editing", {
      path,
      content: encodeTextFile(edited.text, file.hasByteOrderMark),
      expected: existing.result.sha256,
      diff: edited.diff,
      done: `Edited ${shown} (${counts.join(", ")})`,
      details: { count: replaced },
    });
  },
});

function editsOf({ edits, old_string, new_string, replace_all, insert_line }: EditInput): readonly Edit[] {
  return edits ?? [{ old_string, new_string, replace_all, insert_line }];
}

function faultOf({ old_string: from, new_string: to, replace_all: isAll, insert_line: line }: Edit): string | null {
  if (to === undefined) return "new_string is missing";
  if (from === undefined && line === undefined) return "old_string is missing, or insert_line; a new file is made by write_file";
  if (line !== undefined && (from !== undefined || isAll !== undefined)) return "insert_line stands without old_string and replace_all";
  return null;
}

const renamed = otherNames(
  {
    file_path: "path",
    filePath: "path",
    filename: "path",
    target_file: "path",
    old_str: "old_string",
    oldString: "old_string",
    oldText: "old_string",
    old_text: "old_string",
    search: "old_string",
    new_str: "new_string",
    newString: "new_string",
    newText: "new_string",
    new_text: "new_string",
    insert_text: "new_string",
    replace: "new_string",
    replaceAll: "replace_all",
    insert_after_line: "insert_line",
  },
  ["description", "explanation", "instruction", "instructions"],
);

function editArguments(input: Record<string, unknown>): Record<string, unknown> {
  const own = renamed(input);
  // The number of places that another agent's model expects; one is what is demanded anyway.
  const { expected_replacements: expected, ...rest } = own;
  const kept = expected === 1 ? rest : own;
  const { edits } = kept;
  if (!Array.isArray(edits)) return kept;
  return { ...kept, edits: edits.map((edit: unknown) => (typeof edit === "object" && edit !== null && !Array.isArray(edit) ? renamed({ ...edit }) : edit)) };
}
