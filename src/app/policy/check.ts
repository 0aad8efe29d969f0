import { systemClock } from "../../base/clock.ts";
import { loadForReview } from "../../config/policy/load.ts";
import { expiryHints } from "../../policy/compiling/expiry-hints.ts";
import type { Policy } from "../../policy/policy.ts";
import { renderDiagnostics } from "../../policy/text/diagnostic.ts";
import { realDirectory } from "../setup/context.ts";

export type CheckedPolicy = {
  readonly policy: Policy;
  /** With code frames; empty when there are none. */
  readonly warnings: string;
  /** The files of the policy that an agent could have written and nobody confirmed. */
  readonly unconfirmed: readonly string[];
};

/** Loads a policy as a run would, one that nobody confirmed too. Throws `usage` when the workspace is no directory, `bad-policy` with every diagnostic. */
export function checkPolicyFile(file: string, workspace: string, clock = systemClock): CheckedPolicy {
  const { loaded, unconfirmed } = loadForReview(file, { workspace: realDirectory(workspace) });
  const { policy, warnings, sources } = loaded;
  return { policy, warnings: renderDiagnostics([...warnings, ...expiryHints(policy, clock.nowMs())], sources), unconfirmed };
}
