import { codeFrameColumns } from "@babel/code-frame";
import { makeVisible } from "../../base/text.ts";
import type { SourcePosition } from "../decision.ts";
import type { LintCode } from "./lints.ts";

/** What is wrong with a policy file, or worth a reviewer's look. */
export type PolicyDiagnostic = {
  /** An error stops the load. */
  readonly severity: "error" | "warning";
  /** What is wrong: one sentence. */
  readonly message: string;
  /** Why it matters. Empty when the message says it. */
  readonly why: string;
  /** What to do. Empty when nothing is to be said. */
  readonly remedy: string;
  readonly at: SourcePosition;
  /** Which kind of warning it is. Absent for errors. */
  readonly code?: LintCode;
  /** What can be done without a person's judgement, because no decision changes by it: the item of a list that stands at `at` is taken out. */
  readonly fix?: "remove-item";
};

export function errorAt(at: SourcePosition, message: string, more: { why?: string; remedy?: string } = {}): PolicyDiagnostic {
  return { severity: "error", message, why: more.why ?? "", remedy: more.remedy ?? "", at };
}

export function warningAt(
  at: SourcePosition,
  code: LintCode,
  message: string,
  { fix, ...more }: { why?: string; remedy?: string; fix?: "remove-item" } = {},
): PolicyDiagnostic {
  return { ...errorAt(at, message, more), severity: "warning", code, ...(fix === undefined ? {} : { fix }) };
}

/** More problems than a person reads at once; a frame of each of thousands would take minutes, too. */
const MAX_SHOWN = 20;

/**
 * Diagnostics as text for a person, without colour: place, sentence, code frame, why and remedy; of many the first ones. `sources` maps
 * a file to its text; a file without one gets no frame.
 */
export function renderDiagnostics(diagnostics: readonly PolicyDiagnostic[], sources: ReadonlyMap<string, string>): string {
  const inOrder = diagnostics.toSorted((one, other) => (one.at.file === other.at.file ? one.at.line - other.at.line || one.at.column - other.at.column : 0));
  const shown = inOrder.slice(0, MAX_SHOWN).map((diagnostic) => renderDiagnostic(diagnostic, sources.get(diagnostic.at.file)));
  if (inOrder.length > MAX_SHOWN) shown.push(`… and ${inOrder.length - MAX_SHOWN} more. Mend these first.`);
  return shown.join("\n\n");
}

/** So much of a line is shown, around the column. A whole file on one line would flood the terminal, and take minutes. */
const FRAME_WIDTH = 160;

function codeFrame(source: string, { line, column }: SourcePosition): string {
  const shift = column > FRAME_WIDTH ? column - FRAME_WIDTH / 2 : 0;
  const lines = source.trimEnd().split("\n");
  // Lines that the frame does not show only have to be counted.
  const shown = lines.map((text, index) => (Math.abs(index + 1 - line) > 1 ? "" : text.slice(shift, shift + FRAME_WIDTH)));
  // The library counts lines from 1 and columns from 0.
  const frame = codeFrameColumns(shown.join("\n"), { start: { line, column: column - 1 - shift } }, { linesAbove: 1, linesBelow: 1, highlightCode: false });
  return frame
    .split("\n")
    .map((text) => text.trimEnd())
    .join("\n");
}

function renderDiagnostic({ severity, message, why, remedy, at }: PolicyDiagnostic, source: string | undefined): string {
  const lines = [`${at.file}:${at.line}:${at.column}: ${severity}: ${message}`];
  if (source !== undefined) lines.push(makeVisible(codeFrame(source, at)));
  if (why !== "") lines.push(`  why: ${why}`);
  if (remedy !== "") lines.push(`  remedy: ${remedy}`);
  return lines.join("\n");
}
