/** A place in a file: the lines that stand there (` `, `-`) and those that shall (` `, `+`). */
export type Hunk = {
  /** Lines that stand above, in this order: the text behind `@@`. */
  readonly anchors: readonly string[];
  /** Counted from 1, where the patch says so. */
  readonly line: number | null;
  readonly lines: readonly { readonly sign: " " | "-" | "+"; readonly text: string }[];
  /** It stands at the end of the file. */
  readonly isAtEnd: boolean;
  /** The file's last line has no line ending afterwards. */
  readonly endsOpen: boolean;
};

export type PatchOperation =
  | { readonly kind: "add"; readonly path: string; readonly text: string }
  /** `hunks`: what the file has, where the patch says it; all of it. */
  | { readonly kind: "delete"; readonly path: string; readonly hunks: readonly Hunk[] }
  | { readonly kind: "update"; readonly path: string; readonly moveTo: string | null; readonly hunks: readonly Hunk[] };

/** `exact`: context is compared byte for byte, and at most two of its outer lines may differ, as `patch` has it. `loose`: spaces and quotes may differ, as Codex has it. */
export type Patch = { readonly kind: "patch"; readonly matching: "exact" | "loose"; readonly operations: readonly PatchOperation[] };
export type PatchProblem = { readonly kind: "problem"; readonly problem: string };

export const MAX_OPERATIONS = 100;
export const MAX_HUNKS = 1000;

/** Thrown inside a parser, caught where it begins: the line (from 1) and what is wrong with it. */
export class PatchFault extends Error {
  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
  }
}

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";

/** Reads the form that begins with `*** Begin Patch`. */
export function readMarkedPatch(lines: readonly string[]): readonly PatchOperation[] {
  const operations: PatchOperation[] = [];
  const last = lines.findLastIndex((line) => line.trim() !== "");
  if (lines[0]?.trim() !== BEGIN) throw new PatchFault(1, `it does not begin with "${BEGIN}"`);
  if (last < 1 || lines[last]?.trim() !== END) throw new PatchFault(last + 1, `it does not end with "${END}"`);
  const at: Cursor = { index: 1, end: last, lines };
  while (at.index < at.end) {
    const line = at.lines[at.index] ?? "";
    if (line.trim() === "") at.index += 1;
    else operations.push(readOperation(at, line));
  }
  return operations;
}

type Cursor = { index: number; readonly end: number; readonly lines: readonly string[] };

function readOperation(at: Cursor, line: string): PatchOperation {
  const [, verb, named = ""] = /^\*\*\* (Add|Delete|Update) File: ?(.*)$/u.exec(line.trimEnd()) ?? [];
  const path = named.trim();
  if (verb === undefined) throw new PatchFault(at.index + 1, 'a file begins with "*** Add File: ", "*** Update File: " or "*** Delete File: "');
  if (path === "") throw new PatchFault(at.index + 1, "there is no path");
  at.index += 1;
  if (verb === "Delete") return { kind: "delete", path, hunks: [] };
  if (verb === "Add") return { kind: "add", path, text: readAdded(at) };
  const [, moveTo = null] = /^\*\*\* Move to: ?(.*)$/u.exec((at.lines[at.index] ?? "").trimEnd()) ?? [];
  if (moveTo !== null) at.index += 1;
  if (moveTo?.trim() === "") throw new PatchFault(at.index, "there is no path to move to");
  const hunks: Hunk[] = [];
  while (at.index < at.end && !isFile(at.lines[at.index] ?? "")) hunks.push(readHunk(at, hunks.length === 0));
  if (hunks.length === 0 && moveTo === null) throw new PatchFault(at.index, `nothing is changed in ${path}`);
  return { kind: "update", path, moveTo: moveTo?.trim() ?? null, hunks };
}

function isFile(line: string): boolean {
  return /^\*\*\* (?:Add|Delete|Update) File:/u.test(line);
}

function readAdded(at: Cursor): string {
  const added: string[] = [];
  for (; at.index < at.end && !isFile(at.lines[at.index] ?? ""); at.index += 1) {
    const line = at.lines[at.index] ?? "";
    if (!line.startsWith("+")) throw new PatchFault(at.index + 1, "each line of a file that is added begins with +");
    added.push(line.slice(1));
  }
  return added.map((line) => `${line}\n`).join("");
}

function readHunk(at: Cursor, isFirst: boolean): Hunk {
  const anchors: string[] = [];
  const begins = at.index;
  for (; at.index < at.end; at.index += 1) {
    const [, anchor] = /^@@ ?(.*)$/u.exec(at.lines[at.index] ?? "") ?? [];
    if (anchor === undefined) break;
    // Models of unified diffs write their numbers here; the place is found by the context.
    if (anchor.trim() !== "" && !/^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@/u.test(anchor)) anchors.push(anchor.replace(/ @@$/u, ""));
  }
  if (begins === at.index && !isFirst) throw new PatchFault(at.index + 1, 'a line begins with a space, + or -, or with "@@"');
  const lines: Hunk["lines"][number][] = [];
  let isAtEnd = false;
  for (; at.index < at.end; at.index += 1) {
    const line = at.lines[at.index] ?? "";
    if (line.trimEnd() === "*** End of File") isAtEnd = true;
    else if (line === "") lines.push({ sign: " ", text: "" });
    else if (/^[ +-]/u.test(line) && !isAtEnd) lines.push({ sign: line.charAt(0) as " " | "-" | "+", text: line.slice(1) });
    else break;
  }
  // An empty line between two files is no line of the first.
  while (at.lines[at.index - 1] === "" && lines.at(-1)?.text === "" && lines.at(-1)?.sign === " " && lines.length > 1) {
    lines.pop();
    if (at.lines[at.index - 2] !== "" || lines.at(-1)?.text !== "") break;
  }
  if (lines.length === 0) throw new PatchFault(at.index + 1, "there is a place, and no line of it: a line begins with a space, + or -");
  return { anchors, line: null, lines, isAtEnd, endsOpen: false };
}
