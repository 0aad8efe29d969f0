import { digestOf } from "../../base/digest.ts";
import { type CommandHook, withoutPlaces } from "../hook.ts";
import type { Policy } from "../policy.ts";
import type { PolicyContext } from "../language/path-expansion.ts";
import type { PolicyDiagnostic } from "../text/diagnostic.ts";
import { hookProblems } from "./hook-problems.ts";

/** A compiled policy with further hooks behind its own, which its digest covers; or what is wrong with them beside it. */
export function addHooks(
  policy: Policy,
  further: readonly CommandHook[],
  context: Pick<PolicyContext, "realPath">,
): { readonly policy: Policy } | { readonly problems: readonly PolicyDiagnostic[] } {
  if (further.length === 0) return { policy };
  const hooks = [...(policy.hooks ?? []), ...further];
  const problems = hookProblems({ ...policy, hooks }, context);
  return problems.length > 0 ? { problems } : { policy: { ...policy, hooks, digest: digestOf({ policy: policy.digest, hooks: withoutPlaces(further) }) } };
}
