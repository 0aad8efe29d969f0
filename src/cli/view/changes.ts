import { makeVisibleLine } from "../../base/text.ts";
import type { BranchReport, LandingReport } from "../../app/review/changes.ts";
import type { UndoneReport } from "../../app/review/undo.ts";
import { type Flag, type FlaggedChange, groupsOf, type RebaseReport } from "../../landing/review/review.ts";
import { repositoryOf } from "../../sandbox/workspace/repository/paths.ts";
import { counted, paint } from "./style.ts";

/** What stands above the changes that have no flag, where others have. */
export const PLAIN_LINE = "plain: source, text or data\n";

/**
 * Changes for a terminal, grouped by why to look at them, the worst first: a red line for each reason, once, then a line for each change. The commits, refs
 * and index of a repository share one line.
 */
export function changeLines(all: readonly FlaggedChange[], prefix = ""): string {
  const isCommitted = (change: FlaggedChange): boolean => repositoryWith(change) !== null && change.flags.length === 0 && change.refs === undefined;
  const groups = groupsOf(all.filter((change) => !isCommitted(change)));
  const said = new Set<string>();
  const lines: string[] = [];
  for (const { flag, changes } of groups) {
    if (flag !== null) lines.push(`${red(flagText(flag, said))}\n`);
    else if (groups.length > 1) lines.push(PLAIN_LINE);
    for (const change of changes) lines.push(changeLine(change, prefix, said));
  }
  for (const [repository, unit] of Map.groupBy(all.filter(isCommitted), (change) => repositoryWith(change) ?? ""))
    lines.push(`${prefix}${unitText(repository, unit)}\n`);
  return lines.join("");
}

/** What landed, and what was left out. */
export function landedText({ applied, refused }: LandingReport, verb = "applied"): string {
  return changeLines(applied, `${paint("green", verb.padEnd(9))} `) + refusalLines(refused, `${paint("red", "left out ")} `);
}

/** The last line of a landing: what landed, what waits, and what to type. */
export function landedLine(run: string, { applied, unkept }: Pick<LandingReport, "applied" | "unkept">, waiting: number): string {
  const landed = applied.length === 0 ? "Nothing landed" : `${counted(applied.length, "change")} landed`;
  return `${landed}. ${waitingLine(run, waiting)}${unkeptLine(unkept)}${applied.length === 0 ? "" : undoHint(run, "landing")}`;
}

/** What a landing replaced for good. */
function unkeptLine(unkept: readonly string[]): string {
  if (unkept.length === 0) return "";
  const shown = unkept.slice(0, MAX_UNKEPT).map(makeVisibleLine).join(", ");
  const more = unkept.length > MAX_UNKEPT ? ` and ${String(unkept.length - MAX_UNKEPT)} more` : "";
  return `${red(`What they were is not kept, and cannot be taken back: ${shown}${more}`)}\n`;
}

const MAX_UNKEPT = 20;

/** What may be typed beside, dimmed; nothing for null. */
export function adviceLine(advice: string | null): string {
  return advice === null ? "" : `${paint("dim", makeVisibleLine(advice))}\n`;
}

/** What is left of a run's changes. */
export function waitingLine(run: string, waiting: number): string {
  return waiting === 0
    ? "Nothing waits.\n"
    : `${counted(waiting, "change")} ${waiting === 1 ? "waits" : "wait"}: warder changes list ${run}, then apply or discard\n`;
}

/** What nobody was asked about, and how to say it without a terminal. */
export function unaskedText(run: string, asked: readonly FlaggedChange[]): string {
  return `${changeLines(asked)}Nothing landed: ${counted(asked.length, "change")} ${asked.length === 1 ? "is" : "are"} flagged, and nobody was asked. To land them: warder changes apply ${run} --yes, or name each path\n`;
}

export function rebasedText(run: string, { branch, onto, commits }: Pick<Extract<RebaseReport, { kind: "rebased" }>, "branch" | "onto" | "commits">): string {
  const name = makeVisibleLine(branch.replace(/^refs\/heads\//u, ""));
  return `${makeVisibleLine(run)} is on ${name} at ${onto.slice(0, 12)} now, with ${counted(commits, "commit")} of its own. Your repository is as it was.\n`;
}

export function conflictsText(run: string, { conflicts }: Extract<RebaseReport, { kind: "conflicts" }>): string {
  const lines = conflicts.map(({ what, paths }) => `${red(`conflict  ${makeVisibleLine(what)}: ${paths.map(makeVisibleLine).join(", ")}`)}\n`);
  return `${lines.join("")}${makeVisibleLine(run)} is as it was. Its work as a branch, to be merged by hand: warder changes apply ${makeVisibleLine(run)} --branch\n`;
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

function flagText({ kind, reason }: Flag, said: Set<string>): string {
  const isSaid = said.has(`${kind}\0${reason}`);
  said.add(`${kind}\0${reason}`);
  return isSaid ? `! ${kind}` : `! ${kind}: ${makeVisibleLine(reason)}`;
}

function red(text: string): string {
  return paint(["bold", "red"], text);
}

/** What was left out, with the reasons; what a repository's changes have in common is said once. */
function refusalLines(refused: readonly { readonly change: FlaggedChange; readonly reason: string }[], prefix: string): string {
  const lines: string[] = [];
  for (const group of Map.groupBy(refused, ({ change, reason }) => `${repositoryWith(change) ?? `${change.kind}\0${change.path}`}\0${reason}`).values()) {
    const [first] = group;
    if (first === undefined) continue;
    const repository = repositoryWith(first.change);
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

/** How to take back what was just done. */
export function undoHint(runId: string, what: UndoneReport["what"]): string {
  return `${paint("dim", `Take it back, for ${what === "discard" ? "a day" : "a week"}: warder changes undo ${runId}`)}\n`;
}

/** Of a part of a run's changes that was discarded. */
export function partHint(): string {
  return `${paint("dim", "A part that was discarded cannot be taken back; all of a run's changes can.")}\n`;
}

/** What was taken back; or what stands in the way. */
export function undoneText({ what, applied, refused }: UndoneReport, runId: string): string {
  const lines = changeLines(applied, `${paint("green", "back     ")} `) + refusalLines(refused, `${paint("red", "in the way")} `);
  if (applied.length === 0 && refused.length > 0) return `${lines}Nothing was taken back. Name paths to take back a part: warder changes undo ${runId} PATHS\n`;
  return what === "branch" ? lines : `${lines}It waits for a review again: warder changes list ${runId}\n`;
}

/** What is on a new branch, what is not, and what a person types next. */
export function branchText(run: string, report: BranchReport): string {
  const name = makeVisibleLine(report.branch);
  const submodules = report.submodules.map((path) => ` The submodule ${makeVisibleLine(path)} has a branch of this name, too.`).join("");
  return `${landedText(report, "committed")}${paint("bold", name)} is at ${report.commit.slice(0, 12)}; checkout and index are as they were.${submodules} Look: git log -p ${name}, then: git merge ${name}, and: warder changes discard ${makeVisibleLine(run)}\n${undoHint(run, "branch")}`;
}

/** The repository that a change belongs to, in the workspace or outside, or null. */
function repositoryWith({ path, repository }: FlaggedChange): string | null {
  return repository ?? repositoryOf(path);
}

/** Under the worst reason, with the others. */
function changeLine(change: FlaggedChange, prefix: string, said: Set<string>): string {
  const refs = (change.refs ?? []).flatMap(({ summary, commits }) => [summary, ...commits.map((line) => `    ${line}`)]);
  const notes = [...refs, ...(change.notes ?? [])].map((note) => `         ${note}\n`);
  const flags = change.flags.slice(1).map((flag) => `${red(`         ${flagText(flag, said)}`)}\n`);
  return `${prefix}${nameOf(change)}\n${notes.join("")}${flags.join("")}`;
}

function nameOf(change: FlaggedChange): string {
  return `${change.kind.padEnd(8)} ${makeVisibleLine(change.path)}${change.type === "file" ? sizeOf(change) : ` (${change.type})`}`;
}

function unitText(repository: string, unit: readonly FlaggedChange[]): string {
  return `${"changed".padEnd(8)} ${makeVisibleLine(repository)}  ${String(unit.length)} changes of commits, refs and index, ${formatBytes(bytesOf(unit))}`;
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
