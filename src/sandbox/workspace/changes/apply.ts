import { existsSync, rmSync } from "node:fs";
import { makeVisibleLine } from "../../../base/text.ts";
import type { ApplyReport, Change } from "../../runtime.ts";
import { type HardLinks, hardLinksOf } from "./hard-links.ts";
import { type ApplyGroup, type ApplyProgram, openApplyProgram } from "./apply-program.ts";
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
  const noteDirectory = ({ path, type, kind }: Change): void => {
    if (type === "directory" && kind !== "mode") refusedDirectories.add(path);
  };
  const note = (change: Change, reason: string | null): void => {
    if (reason === null) return void applied.push(change);
    refused.push({ change, reason });
    noteDirectory(change);
  };
  const program = openApplyProgram(plan.workspace, plan.upper);
  const journal = openJournal(plan.journal);
  try {
    const means = { program, journal, hardLinks: hardLinksOf(plan.manifest, plan.layers.lower) };
    await recoverJournal(plan.journal, { ...plan, ...means });
    const ofUnits = new Set([...unitsOf(changes).values()].flat());
    const replacements = new Map(changes.filter((change) => change.kind === "added").map((change) => [change.path, change]));
    const deleted = new Set(changes.filter((change) => change.kind === "deleted").map((change) => change.path));
    let batch: Planned[] = [];
    let emptied: string[] = [];
    const land = async (): Promise<void> => {
      const reasons = await perform(batch, plan, means);
      for (const [at, { change }] of batch.entries()) note(change, refusedAncestor(change.path, refusedDirectories) ?? reasons[at] ?? null);
      batch = [];
      emptied = [];
    };
    for (const change of changes) {
      if (ofUnits.has(change)) continue;
      const { path, kind } = change;
      const hasTwin = kind === "added" && deleted.has(path);
      // It is planned by what is there when that landed.
      if (batch.length === MAX_BATCH || hasTwin || emptied.some((directory) => path.startsWith(`${directory}/`))) await land();
      const replacement = kind === "deleted" ? replacements.get(path) : undefined;
      const planned =
        refusedAncestor(path, refusedDirectories) ?? (replacement === undefined ? plannedRecords(change, plan) : replacementReason(replacement, plan)) ?? [];
      batch.push({ change, planned });
      if (typeof planned === "string") noteDirectory(change);
      else if (hasTwin || (kind === "deleted" && change.type === "directory")) emptied.push(path);
    }
    await land();
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
  const records = plannedRecords(replacement, plan);
  return typeof records === "string" ? records : null;
}

function plannedRecords(change: Change, plan: ApplyPlan): ApplyGroup | string {
  return plan.heldBack(change) ?? planChange(change, plan);
}

/** The journal has served when the manifest says what landed. */
export function endJournal(file: string): void {
  if (existsSync(file)) rmSync(file);
}

/** As many as the program answers together. */
const MAX_BATCH = 512;

/** What makes a change, or why it does not land. */
type Planned = { readonly change: Change; readonly planned: ApplyGroup | string };

type Means = { readonly program: ApplyProgram; readonly journal: Journal; readonly hardLinks: HardLinks };

/** Why each did not land, or null. */
async function perform(
  batch: readonly Planned[],
  { layers, manifest }: ApplyPlan,
  { program, journal, hardLinks }: Means,
): Promise<readonly (string | null)[]> {
  const groups = batch.map(({ planned }) => (typeof planned === "string" ? [] : planned));
  const paths = groups.flatMap((group) => group.map(([, path = ""]) => path));
  try {
    journal.note(...paths);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "ENOSPC" && code !== "EDQUOT") throw error;
    return batch.map(({ planned }) => (typeof planned === "string" ? planned : "There is no space left for the journal of what lands."));
  }
  const lookAgain = paths.map((path) => hardLinks.before(path, statEntry(layers.lower, path)));
  const reasons = await program.performAll(groups);
  for (const look of lookAgain) look();
  return batch.map(({ planned }, at) => {
    if (typeof planned === "string") return planned;
    const reason = reasons[at] ?? null;
    for (const [, path = ""] of planned) {
      const stats = statEntry(layers.lower, path);
      if (stats === null) manifest.delete(path);
      // Of a group the last one writes: before a reason, there are removals alone.
      else if (reason === null) manifest.set(path, signatureOf(stats));
    }
    return reason;
  });
}

function refusedAncestor(path: string, refusedDirectories: ReadonlySet<string>): string | null {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const above = path.slice(0, end);
    if (refusedDirectories.has(above)) return `Its directory ${makeVisibleLine(above)} was not applied.`;
  }
  return null;
}
