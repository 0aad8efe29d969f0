import { MAX_HUNKS, MAX_OPERATIONS, type Patch, PatchFault, type PatchOperation, type PatchProblem, readMarkedPatch } from "./patch-text.ts";
import { readUnifiedDiff } from "./unified-diff.ts";

/** Reads a patch in either form. Pure; a problem is a sentence for the model. */
export function readPatch(text: string): Patch | PatchProblem {
  const lines = unwrapped(text);
  const isMarked = (lines[0] ?? "").startsWith("***");
  try {
    const operations = isMarked ? readMarkedPatch(lines) : readUnifiedDiff(lines);
    const problem = problemOf(operations);
    return problem === null ? { kind: "patch", matching: isMarked ? "loose" : "exact", operations } : { kind: "problem", problem };
  } catch (error) {
    if (error instanceof PatchFault) return { kind: "problem", problem: `the patch cannot be read: ${error.message}` };
    throw error;
  }
}

function problemOf(operations: readonly PatchOperation[]): string | null {
  if (operations.length === 0) return 'there is no patch: it begins with "*** Begin Patch", or with --- a/PATH and +++ b/PATH';
  if (operations.length > MAX_OPERATIONS) return `it changes ${operations.length} files, of at most ${MAX_OPERATIONS}`;
  const hunks = operations.reduce((sum, operation) => sum + (operation.kind === "add" ? 0 : operation.hunks.length), 0);
  if (hunks > MAX_HUNKS) return `it has ${hunks} hunks, of at most ${MAX_HUNKS}`;
  const nul = operations.flatMap(pathsOf).find((path) => path.includes("\0") || path.length > 4096);
  return nul === undefined ? null : "a path has a NUL character, or more than 4096 characters";
}

/** Each path that an operation touches, as the patch writes it. */
export function pathsOf(operation: PatchOperation): readonly string[] {
  return operation.kind === "update" && operation.moveTo !== null ? [operation.path, operation.moveTo] : [operation.path];
}

/** The lines, without a fence of Markdown or a here-document around them, which models write now and then. */
function unwrapped(text: string): readonly string[] {
  const lines = text.replace(/^\uFEFF/u, "").split("\n");
  while (lines.length > 0 && (lines[0] ?? "").trim() === "") lines.shift();
  const [, close] = /^(?:```\w*(`*)|(?:apply_patch )?<<\s*(['"]?)(\w+)\2)$/u.exec((lines[0] ?? "").trim()) ?? [];
  const isFenced = (lines[0] ?? "").trim().startsWith("```");
  const word = /<<\s*['"]?(\w+)/u.exec(lines[0] ?? "")?.[1];
  if (close === undefined && !isFenced && word === undefined) return lines;
  const last = lines.findLastIndex((line) => line.trim() !== "");
  const closes = isFenced ? "```" : word;
  return lines[last]?.trim() === closes ? lines.slice(1, last) : lines;
}
