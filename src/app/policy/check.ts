import { systemClock } from "../../base/clock.ts";
import { loadForReview } from "../../config/policy/load.ts";
import { homeDirectory } from "../../config/state/directory.ts";
import { expiryHints } from "../../policy/compiling/expiry-hints.ts";
import { ruleHints } from "../../policy/compiling/rule-hints.ts";
import type { Policy } from "../../policy/policy.ts";
import { renderDiagnostics } from "../../policy/text/diagnostic.ts";
import { createRegistry } from "../../tools/registry.ts";
import { realDirectory } from "../setup/context.ts";
import { overBroadHints } from "./over-broad.ts";

export type CheckedPolicy = {
  readonly policy: Policy;
  /** With code frames; empty when there are none. */
  readonly warnings: string;
  /** The files of the policy that an agent could have written and nobody confirmed. */
  readonly unconfirmed: readonly string[];
};

/**
 * Loads a policy as a run would, one that nobody confirmed too, and looks for what loads and is a mistake. Throws `usage` when the workspace is no
 * directory, `bad-policy` with every diagnostic.
 */
export async function checkPolicyFile(file: string, workspace: string, clock = systemClock): Promise<CheckedPolicy> {
  const setting = { workspace: realDirectory(workspace), home: realDirectory(homeDirectory()) };
  const { loaded, unconfirmed } = loadForReview(file, setting);
  const { policy, warnings, sources } = loaded;
  const hints = [
    ...expiryHints(policy, clock.nowMs()),
    ...ruleHints(policy),
    ...(await overBroadHints({ policy, tools: createRegistry(), setting, containment: "profile", ownPaths: policy.files, clock })),
  ];
  return { policy, warnings: renderDiagnostics([...warnings, ...hints], sources), unconfirmed };
}
