import { makeVisibleLine } from "../../base/text.ts";
import type { Change } from "../../sandbox/runtime.ts";
import { type GitNames, PLAIN_NAMES } from "../../sandbox/workspace/repository/names.ts";
import { isDispensable, objectOfSubmodule, unitsOf } from "../../sandbox/workspace/repository/paths.ts";

/** Lands what the run did to one repository; why nothing of it landed, or null. `madeInSubmodules`: the objects that the run made in repositories of submodules, and that have not landed. */
export type LandRepository = (repository: string, changes: readonly Change[], madeInSubmodules: ReadonlySet<string>) => Promise<string | null>;

export type UnitPlan = {
  /** Takes an absolute path; why a run may not write there, or null. */
  readonly mayWrite: (path: string) => string | null;
  /** Why a change waits although it may be written, or null. */
  readonly heldBack: (change: Change) => string | null;
  /** What paths are relative to. */
  readonly workspace: string;
  readonly landRepository: LandRepository;
};

export type LandedUnit = { readonly changes: readonly Change[]; /** Null: it landed. */ readonly reason: string | null };

/** Lands each repository of these changes as a whole, or not at all. */
export async function landUnits(changes: readonly Change[], plan: UnitPlan): Promise<readonly LandedUnit[]> {
  const waiting = new Set(madeInSubmodules(changes));
  const landed: LandedUnit[] = [];
  for (const [repository, unit] of innerFirst(unitsOf(changes))) {
    const reason = forbiddenIn(unit, plan) ?? (await plan.landRepository(repository, unit, waiting));
    if (reason === null) for (const id of madeInSubmodules(unit)) waiting.delete(id);
    landed.push({ changes: unit, reason });
  }
  return landed;
}

/** A submodule before the repository that names its commits, in which it lies. */
export function innerFirst<Unit>(units: ReadonlyMap<string, Unit>): readonly (readonly [repository: string, Unit])[] {
  return [...units].toSorted(([one], [other]) => other.length - one.length);
}

/** The objects that a run made in repositories of submodules. */
export function madeInSubmodules(changes: readonly Change[], names: GitNames = PLAIN_NAMES): ReadonlySet<string> {
  return new Set(changes.map(({ path, kind }) => objectOfSubmodule({ path: names.plain(path), kind })).filter((id) => id !== null));
}

/** Why a repository must not land, whatever its commits hold, or null. */
export function forbiddenIn(
  unit: readonly Change[],
  { mayWrite, heldBack, workspace }: Omit<UnitPlan, "landRepository">,
  names: GitNames = PLAIN_NAMES,
): string | null {
  for (const change of unit) {
    const called = names.plain(change.path);
    // What objects hold is looked at when they are checked.
    const isRead = isDispensable(called) || called.includes("/.git/objects/") || called.startsWith(".git/objects/");
    const reason = mayWrite(`${workspace}/${change.path}`) ?? (isRead ? null : heldBack(change));
    if (reason !== null) return `A repository lands as a whole, and ${makeVisibleLine(change.path)} cannot: ${reason}`;
  }
  return null;
}
