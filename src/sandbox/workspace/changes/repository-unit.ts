import { makeVisibleLine } from "../../../base/text.ts";
import type { Change } from "../../runtime.ts";
import { isDispensable, objectOfSubmodule, unitsOf } from "../repository/paths.ts";

/** Lands what the run did to one repository; why nothing of it landed, or null. `madeInSubmodules`: the objects that the run made in repositories of submodules, which do not land. */
export type LandRepository = (repository: string, changes: readonly Change[], madeInSubmodules: ReadonlySet<string>) => Promise<string | null>;

export type UnitPlan = {
  /** Takes an absolute path; why a run may not write there, or null. */
  readonly mayWrite: (path: string) => string | null;
  /** Why a change waits although it may be written, or null. */
  readonly heldBack: (change: Change) => string | null;
  readonly workspace: string;
  readonly landRepository: LandRepository;
};

export type LandedUnit = { readonly changes: readonly Change[]; /** Null: it landed. */ readonly reason: string | null };

/** Lands each repository of these changes as a whole, or not at all. */
export async function landUnits(changes: readonly Change[], plan: UnitPlan): Promise<readonly LandedUnit[]> {
  const made = new Set(changes.map(objectOfSubmodule).filter((id) => id !== null));
  const landed: LandedUnit[] = [];
  for (const [repository, unit] of unitsOf(changes)) {
    const reason = forbiddenIn(unit, plan) ?? (await plan.landRepository(repository, unit, made));
    landed.push({ changes: unit, reason });
  }
  return landed;
}

function forbiddenIn(unit: readonly Change[], { mayWrite, heldBack, workspace }: UnitPlan): string | null {
  for (const change of unit) {
    // What objects hold is looked at when they are checked.
    const isRead = isDispensable(change.path) || change.path.includes("/.git/objects/") || change.path.startsWith(".git/objects/");
    const reason = mayWrite(`${workspace}/${change.path}`) ?? (isRead ? null : heldBack(change));
    if (reason !== null) return `A repository lands as a whole, and ${makeVisibleLine(change.path)} cannot: ${reason}`;
  }
  return null;
}
