import type { z } from "zod";
import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { notebookEditSchema } from "../contract/file-schemas.ts";
import { locate, showPath } from "../contract/location.ts";
import { otherNames } from "../contract/other-names.ts";
import { endingError, trustedError, untrustedError } from "../contract/result.ts";
import { changeRequests, landChange } from "./change.ts";
import { describeChange } from "./diff.ts";
import { type CellEdit, editCell } from "./notebook.ts";
import { MAX_FILE_BYTES } from "./read.ts";
import { decodeTextFile, encodeTextFile, whyNotRewritten } from "./text-file.ts";

/** Changes one cell of a notebook; all else in the file keeps its bytes. */
export const notebookEditTool = defineTool({
  name: "notebook_edit",
  aliases: TOOL_NAMES.notebook_edit,
  description:
    "Replaces, inserts or deletes one cell of a Jupyter notebook (.ipynb, nbformat 4). A cell whose source is replaced loses what it printed; all else in the file stays.",
  schema: notebookEditSchema,
  traits: { exclusiveSandbox: false, parallelSafe: true, tier: "workspace-write", history: { summaryArgument: "path" } },
  prepare: otherNames({
    notebook_path: "path",
    target_notebook: "path",
    file_path: "path",
    edit_mode: "mode",
    new_source: "source",
    cell_index: "cell_number",
    cell_idx: "cell_number",
  }),
  validate: ({ mode = "replace", cell_number: index, cell_id: id, source }) => {
    if (index !== undefined && id !== undefined) return "give cell_number or cell_id, not both";
    if (mode !== "insert" && index === undefined && id === undefined) return "say which cell, by cell_number or cell_id";
    return mode !== "delete" && source === undefined ? "source is missing" : null;
  },
  requests: (input, setting) => changeRequests(locate(input.path, setting)),
  rewrites: (input, setting) => ({
    path: locate(input.path, setting),
    after: (before) => {
      if (before === null) return { problem: "there is no such notebook, or none whose text can be shown" };
      const edited = editCell(before, cellEdit(input));
      return edited.kind === "edited" ? { text: edited.text } : { problem: "the notebook has no such cell, or is none" };
    },
  }),
  async execute(input, context) {
    const path = locate(input.path, context);
    const shown = showPath(path, context);
    const existing = await context.handles.files.read(path, 0, MAX_FILE_BYTES);
    if (existing.kind !== "completed") return endingError(existing, `editing ${shown}`);
    if (existing.result.kind !== "read-file") return trustedError("Failed: the sandbox answered with something else.");
    if (existing.result.size > MAX_FILE_BYTES) return trustedError("The notebook is larger than notebook_edit opens (10 MiB).");
    const file = decodeTextFile(existing.result.bytes);
    if (!file?.isExact) return trustedError(whyNotRewritten(file));
    const edited = editCell(file.text, cellEdit(input));
    if (edited.kind === "refused") return untrustedError(`${shown} was not changed: ${edited.problem}. Read it, and choose a cell that it has.`);
    return await landChange(context, "editing", {
      path,
      content: encodeTextFile(edited.text, file.hasByteOrderMark),
      expected: existing.result.sha256,
      diff: describeChange(edited.before, edited.after),
      done: `Edited ${shown} (cell ${edited.index}, ${input.mode ?? "replace"})`,
    });
  },
});

function cellEdit({ mode, cell_number: index, cell_id: id, source, cell_type: type }: z.output<typeof notebookEditSchema>): CellEdit {
  return { mode: mode ?? "replace", index: index ?? null, id: id ?? null, source: source ?? "", type: type ?? null };
}
