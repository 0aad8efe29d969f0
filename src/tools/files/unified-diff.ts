import { PatchFault, type Hunk, type PatchOperation } from "./patch-text.ts";

type Cursor = { index: number; readonly lines: readonly string[] };

/** What `diff --git` says of a file before its hunks. */
type Extended = { from: string | null; to: string | null };

/** Reads what `diff -u` and `git diff` print. What stands between the files is no part of it. */
export function readUnifiedDiff(lines: readonly string[]): readonly PatchOperation[] {
  const operations: PatchOperation[] = [];
  const at: Cursor = { index: 0, lines };
  let extended: Extended | null = null;
  while (at.index < lines.length) {
    const line = lines[at.index] ?? "";
    if (line.startsWith("diff --git ")) {
      if (extended !== null) operations.push(...alone(extended));
      at.index += 1;
      extended = readExtended(at);
    } else if (isHeader(at)) {
      operations.push(readFile(at, extended));
      extended = null;
    } else if (line.startsWith("@@ ")) throw new PatchFault(at.index + 1, "there is a hunk, and no file before it: --- a/PATH and +++ b/PATH");
    else at.index += 1;
  }
  if (extended !== null) operations.push(...alone(extended));
  return operations;
}

function isHeader({ lines, index }: Cursor): boolean {
  return (lines[index] ?? "").startsWith("--- ") && (lines[index + 1] ?? "").startsWith("+++ ");
}

/** A file of which nothing but its name changes. */
function alone({ from, to }: Extended): readonly PatchOperation[] {
  return from === null || to === null ? [] : [{ kind: "update", path: from, moveTo: to, hunks: [] }];
}

function readExtended(at: Cursor): Extended {
  const extended: Extended = { from: null, to: null };
  for (; at.index < at.lines.length; at.index += 1) {
    const line = at.lines[at.index] ?? "";
    if (/^(?:GIT binary patch|Binary files )/u.test(line)) throw new PatchFault(at.index + 1, "it changes a binary file; only text is patched");
    if (/^(?:old mode|new mode|copy from|copy to) /u.test(line)) throw new PatchFault(at.index + 1, "modes and copies are not made by a patch; use shell");
    if (/^(?:new file|deleted file) mode (?!100)/u.test(line)) throw new PatchFault(at.index + 1, "it makes or deletes a link or a repository; use shell");
    if (line.startsWith("new file mode ") && isEmptyFile(at)) throw new PatchFault(at.index + 1, "it makes an empty file; use write_file");
    if (line.startsWith("deleted file mode ") && isEmptyFile(at)) throw new PatchFault(at.index + 1, "it deletes an empty file; use shell");
    const [, end, path] = /^rename (from|to) (.+)$/u.exec(line) ?? [];
    if (end !== undefined && path !== undefined) extended[end === "from" ? "from" : "to"] = plainPath(path, at.index + 1);
    else if (!/^(?:similarity|dissimilarity|index|new file|deleted file) /u.test(line)) break;
  }
  return extended;
}

function isEmptyFile(at: Cursor): boolean {
  const next = at.lines.slice(at.index + 1).find((line) => !line.startsWith("index "));
  return next === undefined || !/^(?:--- |Binary|GIT)/u.test(next);
}

function readFile(at: Cursor, extended: Extended | null): PatchOperation {
  const number = at.index + 1;
  const [before, after] = [headerPath(at, "--- "), headerPath(at, "+++ ")];
  if (before === null && after === null) throw new PatchFault(number, "both sides are /dev/null");
  // git writes a/ and b/; a diff that was made otherwise names the files themselves.
  const isPrefixed = (before?.startsWith("a/") ?? true) && (after?.startsWith("b/") ?? true);
  const strip = (path: string): string => (isPrefixed ? path.slice(2) : path);
  const hunks: Hunk[] = [];
  while ((at.lines[at.index] ?? "").startsWith("@@")) hunks.push(readHunk(at));
  if (hunks.length === 0) throw new PatchFault(number, "there is a file, and no hunk: @@ -1,3 +1,4 @@");
  if (after === null) return { kind: "delete", path: strip(before ?? ""), hunks };
  if (before === null) return { kind: "add", path: strip(after), text: addedText(hunks, number) };
  const [path, target] = [strip(before), strip(after)];
  if (path === target) return { kind: "update", path, moveTo: null, hunks };
  if (extended?.from !== path || extended.to !== target)
    throw new PatchFault(number, `it names two files, ${path} and ${target}; a move has "rename from" and "rename to"`);
  return { kind: "update", path, moveTo: target, hunks };
}

function headerPath(at: Cursor, mark: string): string | null {
  const path = (at.lines[at.index] ?? "").slice(mark.length).replace(/\t.*$/u, "").trimEnd();
  at.index += 1;
  return path === "/dev/null" ? null : plainPath(path, at.index);
}

function plainPath(path: string, line: number): string {
  if (path.startsWith('"')) throw new PatchFault(line, "a path in quotes is not read; use another tool for this file");
  if (path === "") throw new PatchFault(line, "there is no path");
  return path;
}

function addedText(hunks: readonly Hunk[], number: number): string {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  if (lines.some(({ sign }) => sign !== "+")) throw new PatchFault(number, "a file that is added has lines with + alone");
  const text = lines.map(({ text: line }) => `${line}\n`).join("");
  return hunks.at(-1)?.endsOpen === true ? text.slice(0, -1) : text;
}

function readHunk(at: Cursor): Hunk {
  const header = at.lines[at.index] ?? "";
  const number = at.index + 1;
  const numbers = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/u.exec(header);
  if (numbers === null && !/^@@(?:\s.*)?$/u.test(header)) throw new PatchFault(number, "a hunk begins with @@ -1,3 +1,4 @@");
  const [, first, old = "1", made = "1"] = numbers ?? [];
  let [oldLeft, newLeft] = numbers === null ? [Infinity, Infinity] : [Number(old), Number(made)];
  const lines: Hunk["lines"][number][] = [];
  let endsOpen = false;
  at.index += 1;
  for (; at.index < at.lines.length; at.index += 1) {
    const line = at.lines[at.index] ?? "";
    if (line.startsWith("\\")) {
      endsOpen ||= lines.at(-1)?.sign !== "-";
      continue;
    }
    if ((oldLeft === 0 && newLeft === 0) || (line === "" && at.index === at.lines.length - 1)) break;
    const isOver = numbers === null && (line.startsWith("@@") || line.startsWith("diff --git ") || isHeader(at));
    if (isOver) break;
    // An empty line is one of context whose space an editor took away.
    const sign = line === "" ? " " : line.charAt(0);
    if (sign !== " " && sign !== "-" && sign !== "+") break;
    if (sign !== "+") oldLeft -= 1;
    if (sign !== "-") newLeft -= 1;
    if (oldLeft < 0 || newLeft < 0)
      throw new PatchFault(at.index + 1, `the hunk of line ${number} has more lines than its numbers say; without numbers (@@ alone) its context decides`);
    lines.push({ sign, text: line.slice(1) });
  }
  if (numbers !== null && (oldLeft > 0 || newLeft > 0))
    throw new PatchFault(number, "the hunk has fewer lines than its numbers say; without numbers (@@ alone) its context decides");
  if (lines.length === 0) throw new PatchFault(number, "the hunk has no lines");
  // `-0,0`: in an empty file, or before the first line.
  return { anchors: [], line: first === undefined ? null : Number(first), lines, isAtEnd: false, endsOpen };
}
