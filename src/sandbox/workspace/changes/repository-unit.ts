import { makeVisibleLine } from "../../../base/text.ts";
import type { Change } from "../../runtime.ts";
import { type Ground, planChange } from "./plan.ts";
import { isDispensable, objectOfSubmodule, repositoryOf, repositoryReason, unitsOf } from "../repository/paths.ts";
import { signatureOf } from "../scan/manifest.ts";
import { statEntry } from "../files/tree.ts";

/** What of repositories may land: all that a repository's commits need, or nothing of it. */
export type JudgedRepositories = {
  /** Why a change does not land because of others in its repository, or null. */
  reasonFor(change: Change): string | null;
  /** A change that was refused, or failed: what builds on it stays out. */
  lacks(change: Change): void;
};

/** `madeInSubmodules`: the objects that the run made in repositories of submodules, which do not land. */
export type Check = (repository: string, changes: readonly Change[], madeInSubmodules: ReadonlySet<string>) => Promise<string | null>;

/** Plans and checks each repository before anything of it lands: refs move all together, from what they were, or not at all. */
export async function judgeRepositories(changes: readonly Change[], ground: Ground, check: Check): Promise<JudgedRepositories> {
  const made = new Set(changes.map(objectOfSubmodule).filter((id) => id !== null));
  const reasons = new Map<string, string>();
  for (const [repository, unit] of unitsOf(changes)) {
    const reason = conflictIn(repository, unit, ground) ?? (await check(repository, unit, made));
    if (reason !== null) reasons.set(repository, reason);
  }
  return {
    reasonFor: (change) => {
      const repository = repositoryOf(change.path);
      return repository === null || repositoryReason(change) !== null ? null : (reasons.get(repository) ?? null);
    },
    lacks: (change) => {
      const repository = repositoryOf(change.path);
      if (repository === null || reasons.has(repository) || repositoryReason(change) !== null || isDispensable(change.path)) return;
      reasons.set(repository, "Something that it builds on in the repository was not applied.");
    },
  };
}

function conflictIn(repository: string, unit: readonly Change[], ground: Ground): string | null {
  for (const change of unit) {
    if (isDispensable(change.path)) continue;
    const records = packedConflict(repository, change, ground) ?? planChange(change, ground);
    if (typeof records === "string") return `A repository lands as a whole, and ${makeVisibleLine(change.path)} cannot: ${records}`;
  }
  return null;
}

/** A ref without a file of its own is where packed-refs says, which somebody may have changed meanwhile. */
function packedConflict(repository: string, { path }: Change, { manifest, layers }: Ground): string | null {
  const packed = `${repository}/packed-refs`;
  if (!path.startsWith(`${repository}/refs/`) || manifest.has(path)) return null;
  const current = statEntry(layers.lower, packed);
  const now = current === null ? undefined : signatureOf(current);
  return now === manifest.get(packed) ? null : "Conflict: packed-refs was changed since the session began.";
}
