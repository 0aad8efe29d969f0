import { existsSync, rmSync } from "node:fs";
import { makeVisibleLine } from "../../../base/text.ts";
import type { ApplyReport, Change } from "../../runtime.ts";
import { type HardLinks, hardLinksOf } from "./hard-links.ts";
import { type ApplyProgram, type ApplyRecord, openApplyProgram } from "./apply-program.ts";
import { type Journal, openJournal, recoverJournal } from "./journal.ts";
import { signatureOf } from "../scan/manifest.ts";
import { type Ground, planChange } from "./plan.ts";
import { type LandRepository, landUnits } from "./repository-unit.ts";
import { unitsOf } from "../repository/paths.ts";
import { statEntry } from "../files/tree.ts";

export type ApplyPlan = Ground & {
  /** Where the run's layer lies. */
  readonly upper: string;
  /** Why a change waits although it may be written, or null. */
  readonly heldBack: (change: Change) => string | null;
  /** A file that says what was begun, beside the manifest. It goes when the manifest was written. */
  readonly journal: string;
  /** See repository/land.ts. */
  readonly landRepository: LandRepository;
};

/**
 * Writes changes into the workspace, each whole or not at all. Every final path is judged as if it were
 * written now, whatever was allowed while it was made; a path that somebody else changed since the
 * session began is a conflict and stays as it is. Then git lands what was done to each repository. What an interrupted call began, this one completes.
 */
export async function applyChanges(changes: readonly Change[], plan: ApplyPlan): Promise<ApplyReport> {
  const applied: Change[] = [];
  const refused: { change: Change; reason: string }[] = [];
  const refusedDirectories = new Set<string>();
  const program = openApplyProgram(plan.workspace, plan.upper);
  const journal = openJournal(plan.journal);
  try {
    const hardLinks = hardLinksOf(plan.manifest, plan.layers.lower);
    await recoverJournal(plan.journal, { ...plan, program, hardLinks });
    const ofUnits = new Set([...unitsOf(changes).values()].flat());
    const replacements = new Map(changes.filter((change) => change.kind === "added").map((change) => [change.path, change]));
    for (const change of changes) {
      if (ofUnits.has(change)) continue;
      const replacement = change.kind === "deleted" ? replacements.get(change.path) : undefined;
      const reason =
        refusedAncestor(change.path, refusedDirectories) ??
        (replacement === undefined ? await applyChange(change, plan, { program, journal, hardLinks }) : replacementReason(replacement, plan));
      if (reason === null) applied.push(change);
      else {
        refused.push({ change, reason });
        if (change.type === "directory" && change.kind !== "mode") refusedDirectories.add(change.path);
      }
    }
  } finally {
    journal.close();
    await program.end();
  }
  for (const { changes: unit, reason } of await landUnits(changes, plan)) {
    if (reason === null) applied.push(...unit);
    else refused.push(...unit.map((change) => ({ change, reason })));
  }
  return { applied, refused };
}

/** What is replaced by another type goes when the other comes, so that a link takes the place of a file in one step; and stays when that cannot land. */
function replacementReason(replacement: Change, plan: ApplyPlan): string | null {
  const records = plan.heldBack(replacement) ?? planChange(replacement, plan);
  return typeof records === "string" ? records : null;
}

/** The journal has served when the manifest says what landed. */
export function endJournal(file: string): void {
  if (existsSync(file)) rmSync(file);
}

type Means = { readonly program: ApplyProgram; readonly journal: Journal; readonly hardLinks: HardLinks };

async function applyChange(change: Change, plan: ApplyPlan, means: Means): Promise<string | null> {
  const records = plan.heldBack(change) ?? planChange(change, plan);
  if (typeof records === "string") return records;
  for (const record of records) {
    const reason = await perform(record, plan, means);
    if (reason !== null) return reason;
  }
  return null;
}

async function perform(record: ApplyRecord, plan: ApplyPlan, { program, journal, hardLinks }: Means): Promise<string | null> {
  const path = record[1] ?? "";
  try {
    journal.note(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "ENOSPC" && code !== "EDQUOT") throw error;
    return "There is no space left for the journal of what lands.";
  }
  const lookAgain = hardLinks.before(path, statEntry(plan.layers.lower, path));
  const reason = await program.perform(record);
  if (reason !== null) return reason;
  lookAgain();
  const stats = statEntry(plan.layers.lower, path);
  if (stats === null) plan.manifest.delete(path);
  else plan.manifest.set(path, signatureOf(stats));
  return null;
}

function refusedAncestor(path: string, refusedDirectories: ReadonlySet<string>): string | null {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const above = path.slice(0, end);
    if (refusedDirectories.has(above)) return `Its directory ${makeVisibleLine(above)} was not applied.`;
  }
  return null;
}
