import { makeVisibleLine } from "../../base/text.ts";
import type { Change } from "../../sandbox/runtime.ts";
import type { ApplyReport } from "./report.ts";
import { type HardLinks, hardLinksOf } from "./hard-links.ts";
import { type ApplyGroup, type ApplyProgram, openApplyProgram } from "../../sandbox/workspace/changes/apply-program.ts";
import { beforeOf, type Journal } from "../../sandbox/workspace/changes/journal.ts";
import { recoverJournal, settleKept } from "./recover.ts";
import { signatureOf } from "../../sandbox/workspace/scan/manifest.ts";
import { type Ground, planChange } from "./plan.ts";
import { type LandRepository, landUnits } from "./repository-unit.ts";
import { unitsOf } from "../../sandbox/workspace/repository/paths.ts";
import { lookAtMany, statEntry } from "../../sandbox/workspace/files/tree.ts";

export type ApplyPlan = Ground & {
  /** Where the run's layer lies. */
  readonly upper: string;
  /** Why a change waits although it may be written, or null. */
  readonly heldBack: (change: Change) => string | null;
  /** Says what was begun, and keeps what is replaced. It ends when the manifest was written. */
  readonly journal: Journal;
  /** `undo`: what lies in `upper` was there before, and comes back with all that it had. */
  readonly direction: "apply" | "undo";
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
  const program = openApplyProgram(plan.workspace, plan.upper, plan.direction, plan.journal.kept);
  try {
    const means = { program, hardLinks: hardLinksOf(plan.manifest, plan.layers.lower) };
    await recoverJournal(plan.journal, { ...plan, ...means });
    const work = workOf(changes);
    const { refusedDirectories } = work;
    for (let at = 0; at < work.changes.length;) {
      const start = at;
      const batch = lookAtMany(() => planBatch(work, start, plan));
      const reasons = await perform(batch, plan, means);
      for (const [index, { change }] of batch.entries()) {
        const reason = refusedAncestor(change.path, refusedDirectories) ?? reasons[index] ?? null;
        if (reason === null) applied.push(change);
        else {
          refused.push({ change, reason });
          noteRefused(change, refusedDirectories);
        }
      }
      at += batch.length;
    }
  } finally {
    await program.end();
  }
  for (const { changes: unit, reason } of await landUnits(changes, plan)) {
    if (reason === null) applied.push(...unit);
    else refused.push(...unit.map((change) => ({ change, reason })));
  }
  return { applied, refused };
}

type Work = {
  readonly changes: readonly Change[];
  /** What takes the place of something of another type, which is deleted, by its path. */
  readonly replacements: ReadonlyMap<string, Change>;
  readonly refusedDirectories: Set<string>;
};

function workOf(all: readonly Change[]): Work {
  const ofUnits = new Set([...unitsOf(all).values()].flat());
  const changes = all.filter((change) => !ofUnits.has(change));
  const deleted = new Set(changes.filter(({ kind }) => kind === "deleted").map(({ path }) => path));
  const replacements = new Map(changes.filter(({ kind, path }) => kind === "added" && deleted.has(path)).map((change) => [change.path, change]));
  return { changes, replacements, refusedDirectories: new Set() };
}

/** The changes from `start` on that can be planned before one of them is made: with a directory all that is in it goes. */
function planBatch({ changes, replacements, refusedDirectories }: Work, start: number, plan: ApplyPlan): readonly Planned[] {
  const batch: Planned[] = [];
  const emptied: string[] = [];
  for (const change of changes.slice(start, start + MAX_BATCH)) {
    const { path, kind } = change;
    const replacement = replacements.get(path);
    const isReplacing = replacement === change;
    if (batch.length > 0 && (isReplacing || emptied.some((directory) => path.startsWith(directory)))) break;
    const planned =
      refusedAncestor(path, refusedDirectories) ??
      (replacement === undefined || isReplacing ? plannedRecords(change, plan) : (replacementReason(replacement, plan) ?? []));
    batch.push({ change, planned });
    if (typeof planned === "string") noteRefused(change, refusedDirectories);
    else if (isReplacing || (kind === "deleted" && change.type === "directory")) emptied.push(`${path}/`);
  }
  return batch;
}

function noteRefused({ path, type, kind }: Change, refusedDirectories: Set<string>): void {
  if (type === "directory" && kind !== "mode") refusedDirectories.add(path);
}

/** What is replaced by another type goes when the other comes, so that a link takes the place of a file in one step; and stays when that cannot land. */
function replacementReason(replacement: Change, plan: ApplyPlan): string | null {
  const records = plannedRecords(replacement, plan);
  return typeof records === "string" ? records : null;
}

function plannedRecords(change: Change, plan: ApplyPlan): ApplyGroup | string {
  return plan.heldBack(change) ?? planChange(change, plan);
}

/** As many as the program answers together. */
const MAX_BATCH = 2000;

/** What makes a change, or why it does not land. */
type Planned = { readonly change: Change; readonly planned: ApplyGroup | string };

type Means = { readonly program: ApplyProgram; readonly hardLinks: HardLinks };

/** Why each did not land, or null. */
async function perform(
  batch: readonly Planned[],
  { layers, manifest, journal }: ApplyPlan,
  { program, hardLinks }: Means,
): Promise<readonly (string | null)[]> {
  const groups = batch.map(({ planned }) => (typeof planned === "string" ? [] : planned));
  const stood = lookAtMany(() =>
    groups.flat().map(([verb, path = "", expected]) => {
      const stats = statEntry(layers.lower, path);
      return { path, stats, before: beforeOf(layers.lower, path, stats, verb === "chmod" ? undefined : expected) };
    }),
  );
  try {
    journal.note(stood);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "ENOSPC" && code !== "EDQUOT") throw error;
    return batch.map(({ planned }) => (typeof planned === "string" ? planned : "There is no space left for the journal of what lands."));
  }
  const lookAgain = lookAtMany(() => stood.map(({ path, stats }) => hardLinks.before(path, stats)));
  const reasons = await program.performAll(groups);
  for (const look of lookAgain) look();
  lookAtMany(() => {
    for (const [at, group] of groups.entries())
      for (const [, path = ""] of group) {
        const stats = statEntry(layers.lower, path);
        if (stats === null) manifest.delete(path);
        // Of a group the last one writes: before a reason, there are removals alone.
        else if (reasons[at] === null) manifest.set(path, signatureOf(stats));
        else settleKept([path], journal.kept, { layers, manifest });
      }
  });
  return batch.map(({ planned }, at) => (typeof planned === "string" ? planned : (reasons[at] ?? null)));
}

function refusedAncestor(path: string, refusedDirectories: ReadonlySet<string>): string | null {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const above = path.slice(0, end);
    if (refusedDirectories.has(above)) return `Its directory ${makeVisibleLine(above)} was not applied.`;
  }
  return null;
}
