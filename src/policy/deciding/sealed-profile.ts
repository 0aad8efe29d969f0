import type { EffectKind } from "../../programs/effect.ts";
import { isWithin } from "../matching/paths.ts";
import type { Policy } from "../policy.ts";

/** Effects that nobody can predict. A policy may allow them only in a sealed profile. */
export const OPAQUE_EFFECTS: readonly EffectKind[] = ["runs-code", "unknown", "undecidable"];

type Profile = Pick<Policy, "sandbox" | "workspace">;

/** Why a profile is not sealed, each reason a clause. Empty: sealed, so arbitrary code can do no harm but changes that a person reviews. */
export function unsealedBy(policy: Profile): readonly string[] {
  const reasons = uncontainedBy(policy);
  return policy.sandbox.workspace === "bind" ? [...reasons, "the workspace is bound, so changes land unreviewed"] : reasons;
}

/** Why a profile is not contained. Empty: contained, so arbitrary code can do no harm but to the workspace. */
function uncontainedBy({ sandbox, workspace }: Profile): readonly string[] {
  const reasons: string[] = [];
  if (sandbox.network.allow.length > 0) reasons.push("the network is open to some hosts");
  if (sandbox.env.length > 0) reasons.push("variables are passed through");
  const main = workspace.path;
  const outside = workspace.roots.find((root) => root.access === "read-write" && (main === undefined || !isWithin(root.path, main)));
  if (outside !== undefined) reasons.push(`the root ${outside.path} outside the workspace is writable`);
  return reasons;
}

export function isSealed(policy: Profile): boolean {
  return unsealedBy(policy).length === 0;
}

export function isContained(policy: Profile): boolean {
  return uncontainedBy(policy).length === 0;
}

/** Whether code that nobody read can do no harm but to the workspace. Where nobody is asked about medium risk, it needs the seal. */
export function isCodeContained(policy: Profile & Pick<Policy, "autonomy">): boolean {
  return isContained(policy) && (isSealed(policy) || policy.autonomy !== "full");
}
