import { codeFrameColumns } from "@babel/code-frame";
import { makeVisible } from "../base/text.ts";
import type { SourcePosition } from "./decision.ts";

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
};

export function errorAt(at: SourcePosition, message: string, more: { why?: string; remedy?: string } = {}): PolicyDiagnostic {
  return { severity: "error", message, why: more.why ?? "", remedy: more.remedy ?? "", at };
}

export function warningAt(at: SourcePosition, message: string, more: { why?: string; remedy?: string } = {}): PolicyDiagnostic {
  return { ...errorAt(at, message, more), severity: "warning" };
}

/**
 * Diagnostics as text for a person, without colour: place, sentence, code frame, why and remedy. `sources` maps a
 * file to its text; a file without one gets no frame.
 */
export function renderDiagnostics(diagnostics: readonly PolicyDiagnostic[], sources: ReadonlyMap<string, string>): string {
  return diagnostics.map((diagnostic) => renderDiagnostic(diagnostic, sources.get(diagnostic.at.file))).join("\n\n");
}

function renderDiagnostic({ severity, message, why, remedy, at }: PolicyDiagnostic, source: string | undefined): string {
  const lines = [`${at.file}:${at.line}:${at.column}: ${severity}: ${message}`];
  if (source !== undefined) lines.push(makeVisible(codeFrameColumns(source, { start: { line: at.line, column: at.column } }, { linesAbove: 1, linesBelow: 1, highlightCode: false })));
  if (why !== "") lines.push(`  why: ${why}`);
  if (remedy !== "") lines.push(`  remedy: ${remedy}`);
  return lines.join("\n");
}
