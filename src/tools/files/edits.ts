import { describeChange } from "./diff.ts";
import { MAX_CHARACTERS, replaceExactly } from "./replacement.ts";
import { countLines, startOfLine } from "./text-file.ts";

/** One change of a text: exact text replaced, or lines put after a line. */
export type Edit = {
  readonly old_string?: string | undefined;
  readonly new_string?: string | undefined;
  readonly replace_all?: boolean | undefined;
  readonly insert_line?: number | undefined;
};

export type Edited =
  | {
      readonly kind: "edited";
      readonly text: string;
      readonly replaced: number;
      readonly inserted: number;
      /** Each change as a hunk. */ readonly diff: string;
    }
  /** `problem` may quote the file; `reason` does not. */
  | { readonly kind: "refused"; readonly problem: string; readonly reason: string; readonly isQuoting: boolean };

const MAX_SHOWN_LINES = 60;
const LEAST_SHOWN_LINES = 12;

/** Makes the changes, each on what the one before left; all of them or none. */
export function applyEdits(text: string, edits: readonly Edit[]): Edited {
  const shownLines = Math.max(LEAST_SHOWN_LINES, Math.floor(MAX_SHOWN_LINES / edits.length));
  const hunks: string[] = [];
  let [now, replaced, inserted] = [text, 0, 0];
  for (const [index, edit] of edits.entries()) {
    const step = applyEdit(now, edit);
    if (step.kind === "refused")
      return edits.length === 1 ? step : { ...step, problem: `Edit ${index + 1} of ${edits.length}: ${step.problem} Nothing was changed.` };
    replaced += step.replaced;
    inserted += step.inserted;
    if (hunks.length * shownLines < MAX_SHOWN_LINES) hunks.push(describeChange(now, step.text, shownLines));
    now = step.text;
  }
  const hidden = edits.length - hunks.length;
  return { kind: "edited", text: now, replaced, inserted, diff: hunks.join("\n") + (hidden > 0 ? `\n[${hidden} more changes]` : "") };
}

type Step = { readonly kind: "stepped"; readonly text: string; readonly replaced: number; readonly inserted: number } | Extract<Edited, { kind: "refused" }>;

function applyEdit(text: string, { old_string: from, new_string: to = "", replace_all: isAll = false, insert_line: line }: Edit): Step {
  if (line !== undefined) return insertLines(text, line, to);
  const change = replaceExactly(text, { from: from ?? "", to, isAll });
  if (change.kind === "replaced") return { kind: "stepped", text: change.text, replaced: change.count, inserted: 0 };
  if (change.kind === "absent") {
    const { nearest } = change;
    const hint = nearest ? `The nearest is line ${nearest.line}: ${nearest.text}` : "No line is like it; read the file again.";
    return {
      kind: "refused",
      problem: `old_string does not occur in the file. ${hint}`,
      reason: "the text that it replaces is not in the file",
      isQuoting: true,
    };
  }
  if (change.kind === "too-long") return TOO_LONG;
  return refused(
    `old_string occurs ${change.count} times (lines ${change.lines.join(", ")}). Add lines around it, or set replace_all.`,
    "the text that it replaces is in the file more than once",
  );
}

function insertLines(text: string, line: number, added: string): Step {
  const count = countLines(text);
  if (line > count)
    return refused(`insert_line is ${line}, and the file has ${count} lines. Read it, and choose a line that it has.`, "the file has no such line");
  const at = startOfLine(text, line);
  const isCrlf = text.includes("\r\n") && !/(?<!\r)\n/u.test(text);
  const end = isCrlf ? "\r\n" : "\n";
  const lines = isCrlf ? added.replaceAll(/\r?\n/gu, "\r\n") : added;
  // Lines stay lines: what is inserted ends one, and begins one where the last had no end.
  const before = at > 0 && !text.slice(0, at).endsWith("\n") ? end : "";
  const after = lines === "" || lines.endsWith("\n") || (at === text.length && before !== "") ? "" : end;
  if (text.length + lines.length + 4 > MAX_CHARACTERS) return TOO_LONG;
  return { kind: "stepped", text: text.slice(0, at) + before + lines + after + text.slice(at), replaced: 0, inserted: countLines(lines) };
}

const TOO_LONG = refused("The file would be longer than edit_file writes (10 MiB).", "the file would be too long");

function refused(problem: string, reason: string): Extract<Edited, { kind: "refused" }> {
  return { kind: "refused", problem, reason, isQuoting: false };
}
