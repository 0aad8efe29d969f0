import { z } from "zod";
import { path } from "./input-schemas.ts";

// What a model may say to the tools that read and change files.

const offset = z.int().min(1).optional().describe("First line to return, counted from 1. Default: 1.");
const limit = z.int().min(1).optional().describe("Number of lines to return. Default: all that fit.");

export const MAX_FILES_OF_READ = 20;

export const readFileSchema = z.strictObject({
  path: path.optional().describe("File to read, relative to the workspace or absolute. A directory is listed."),
  offset,
  limit,
  files: z
    .array(z.strictObject({ path: path.describe("File to read."), offset, limit }))
    .min(1)
    .max(MAX_FILES_OF_READ)
    .optional()
    .describe("Several files in one call, in place of path."),
});

const MAX_TEXT = 1024 * 1024;

export const writeFileSchema = z.strictObject({
  path: path.describe("File to write, relative to the workspace or absolute. Missing directories are made."),
  content: z
    .string()
    .max(10 * MAX_TEXT)
    .describe("The whole new content of the file."),
});

const change = {
  old_string: z.string().min(1).max(MAX_TEXT).optional().describe("Text to replace, exactly as it stands in the file; it must occur exactly once."),
  new_string: z.string().max(MAX_TEXT).optional().describe("Text to put in its place, or lines to insert."),
  replace_all: z.boolean().optional().describe("Replace every occurrence. Default: false."),
  insert_line: z.int().min(0).optional().describe("Insert new_string after this line, counted from 1; 0 is the top. In place of old_string."),
};

export const editFileSchema = z.strictObject({
  path: path.describe("File to change, relative to the workspace or absolute."),
  ...change,
  edits: z
    .array(z.strictObject(change))
    .min(1)
    .max(100)
    .optional()
    .describe("Several changes of the file, each made on what the one before left; all or none. In place of the fields above."),
});

export const applyPatchSchema = z.strictObject({
  patch: z
    .string()
    .min(1)
    .max(MAX_TEXT)
    .describe("The patch: a unified diff, or *** Begin Patch … *** End Patch. Paths are relative to the workspace or absolute."),
});

export const notebookEditSchema = z.strictObject({
  path: path.describe("Notebook (.ipynb) to change, relative to the workspace or absolute."),
  mode: z.enum(["replace", "insert", "delete"]).optional().describe("What becomes of the cell. Default: replace."),
  cell_number: z.int().min(0).optional().describe("Which cell, counted from 0; insert puts the new one before it. Default of insert: the end."),
  cell_id: path.optional().describe("Which cell, by its id, in place of cell_number; insert puts the new one behind it."),
  source: z.string().max(MAX_TEXT).optional().describe("The whole new text of the cell. Not for delete."),
  cell_type: z.enum(["code", "markdown", "raw"]).optional().describe("Default: the type that it has, of a new cell code."),
});
