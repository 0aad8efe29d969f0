import { makeVisibleLine } from "../../base/text.ts";
import type { LandingReport } from "../../app/review/changes.ts";
import type { FlaggedChange } from "../../sandbox/workspace/review/review.ts";
import { repositoryOf } from "../../sandbox/workspace/repository/paths.ts";
import { counted, paint } from "./style.ts";

/** Changes for a terminal: a line for each, and a red line for each warning. The commits, refs and index of a repository share one line. */
export function changeLines(all: readonly FlaggedChange[], prefix = ""): string {
  const isCommitted = (change: FlaggedChange): boolean => repositoryOf(change.path) !== null && change.flags.length === 0 && change.refs === undefined;
  const lines = all.filter((change) => !isCommitted(change)).map((change) => prefix + changeLine(change));
  for (const [repository, unit] of groupBy(all.filter(isCommitted), (change) => repositoryOf(change.path) ?? ""))
    lines.push(`${prefix}${unitText(repository, unit)}\n`);
  return lines.join("");
}

/** What landed, and what was left out. */
export function landedText({ applied, refused }: LandingReport): string {
  return changeLines(applied, `${paint("green", "applied  ")} `) + refusalLines(refused, `${paint("red", "left out ")} `);
}

/** The lines of a diff that was made visible, coloured; `wrap` breaks one into rows. */
export function diffLines(diff: string, wrap: (line: string) => readonly string[] = (line) => [line]): readonly string[] {
  return diff.split("\n").flatMap((line) => {
    const style = DIFF_STYLES[line.charAt(0)];
    return style === undefined ? wrap(line) : wrap(line).map((row) => paint(style, row));
  });
}

const DIFF_STYLES: Readonly<Partial<Record<string, Parameters<typeof paint>[0]>>> = { "+": "green", "-": "red", "@": "cyan", "!": ["bold", "red"] };
/** Longer diffs are cut, and say so. */
export const MAX_DIFF_BYTES = 8 * 1024 * 1024;

/** What was left out, with the reasons; what a repository's changes have in common is said once. */
function refusalLines(refused: readonly { readonly change: FlaggedChange; readonly reason: string }[], prefix: string): string {
  const lines: string[] = [];
  for (const group of groupBy(refused, ({ change, reason }) => `${repositoryOf(change.path) ?? change.path}\0${reason}`).values()) {
    const [first] = group;
    if (first === undefined) continue;
    const repository = repositoryOf(first.change.path);
    const what =
      repository === null || group.length === 1
        ? nameOf(first.change)
        : unitText(
            repository,
            group.map(({ change }) => change),
          );
    lines.push(`${prefix}${what}: ${makeVisibleLine(first.reason)}\n`);
  }
  return lines.join("");
}

function changeLine(change: FlaggedChange): string {
  const flags = change.flags.map((flag) => `${paint(["bold", "red"], `         ! ${flag.kind}: ${makeVisibleLine(flag.reason)}`)}\n`);
  const refs = (change.refs ?? []).map(({ summary }) => `         ${summary}\n`);
  return `${nameOf(change)}\n${refs.join("")}${flags.join("")}`;
}

function nameOf(change: FlaggedChange): string {
  return `${change.kind.padEnd(8)} ${makeVisibleLine(change.path)}${change.type === "file" ? sizeOf(change) : ` (${change.type})`}`;
}

function unitText(repository: string, unit: readonly FlaggedChange[]): string {
  return `${"changed".padEnd(8)} ${makeVisibleLine(repository)}  ${String(unit.length)} changes of commits, refs and index, ${formatBytes(bytesOf(unit))}`;
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** How many changes of which kind, how many bytes would be written, and how many want a look. */
export function summaryLine(all: readonly FlaggedChange[]): string {
  const counts = (["added", "modified", "mode", "deleted"] as const)
    .map((kind) => ({ kind, count: all.filter((change) => change.kind === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${String(count)} ${kind}`);
  const flagged = all.filter((change) => change.flags.length > 0).length;
  const warning = flagged === 0 ? "" : `; ${paint(["bold", "red"], `${String(flagged)} flagged`)}`;
  return `${counted(all.length, "change")} (${counts.join(", ")}), ${formatBytes(bytesOf(all))} to write${warning}\n`;
}

function bytesOf(all: readonly FlaggedChange[]): number {
  return all.reduce((sum, change) => sum + (isWritten(change) ? change.size : 0), 0);
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
