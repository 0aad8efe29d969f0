import { makeVisibleLine } from "../base/text.ts";
import type { FlaggedChange } from "../sandbox/workspace/flags.ts";
import { paint } from "./style.ts";

/** A change for a terminal: one line, and one in red for each reason to look at it first. */
export function changeLines(change: FlaggedChange, prefix = ""): readonly string[] {
  const detail = change.type === "file" ? sizeOf(change) : ` (${change.type})`;
  const line = `${prefix === "" ? "" : `${prefix} `}${change.kind.padEnd(8)} ${makeVisibleLine(change.path)}${detail}\n`;
  return [line, ...change.flags.map((flag) => paint(["bold", "red"], `         ! ${flag.kind}: ${makeVisibleLine(flag.reason)}`) + "\n")];
}

/** How many changes of which kind, how many bytes would be written, and how many want a look. */
export function summaryLine(all: readonly FlaggedChange[]): string {
  const counts = (["added", "modified", "mode", "deleted"] as const)
    .map((kind) => ({ kind, count: all.filter((change) => change.kind === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${String(count)} ${kind}`);
  const bytes = all.reduce((sum, change) => sum + (isWritten(change) ? change.size : 0), 0);
  const flagged = all.filter((change) => change.flags.length > 0).length;
  const warning = flagged === 0 ? "" : `; ${paint(["bold", "red"], `${String(flagged)} flagged`)}`;
  return `${String(all.length)} changes (${counts.join(", ")}), ${formatBytes(bytes)} to write${warning}\n`;
}

function isWritten(change: FlaggedChange): boolean {
  return change.type === "file" && (change.kind === "added" || change.kind === "modified");
}

function sizeOf(change: FlaggedChange): string {
  if (change.kind === "mode") return `  mode ${(change.mode & 0o7777).toString(8)}`;
  return `  ${formatBytes(change.size)}`;
}

function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${String(bytes)} B`;
  const units = ["KiB", "MiB", "GiB"];
  const power = Math.min(units.length, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[power - 1] ?? ""}`;
}
