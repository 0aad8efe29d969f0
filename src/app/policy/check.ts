import { systemClock } from "../../base/clock.ts";
import { realPath } from "../../config/policy/files.ts";
import type { TextOf } from "../../config/policy/held-texts.ts";
import { type LoadedPolicy, loadForReview, ownFileOf, PolicyTextError } from "../../config/policy/load.ts";
import { homeDirectory } from "../../config/state/directory.ts";
import { expiryHints } from "../../policy/compiling/expiry-hints.ts";
import { ownerHints } from "../../policy/compiling/owner-hints.ts";
import { programHints } from "../../policy/compiling/program-hints.ts";
import { ruleHints } from "../../policy/compiling/rule-hints.ts";
import type { Policy } from "../../policy/policy.ts";
import { type PolicyDiagnostic, renderDiagnostics } from "../../policy/text/diagnostic.ts";
import { createRegistry } from "../../tools/registry.ts";
import { realDirectory } from "../setup/context.ts";
import { overBroadHints } from "./over-broad.ts";

export type CheckedPolicy = InspectedPolicy & {
  /** The diagnostics with code frames; empty when there are none. */
  readonly rendered: string;
  /** The files of the policy that an agent could have written and nobody confirmed. */
  readonly unconfirmed: readonly string[];
};

/**
 * Loads a policy as a run would, one that nobody confirmed too, and looks for what loads and is a mistake. Throws `usage` when the workspace is no
 * directory, `bad-policy` for what no place in a text shows.
 */
export async function checkPolicyFile(file: string, workspace: string, clock = systemClock): Promise<CheckedPolicy> {
  try {
    const { loaded, hints, unconfirmed } = await inspect(file, { workspace }, clock);
    return { policy: loaded.policy, ownFile: ownFileOf(loaded), diagnostics: hints, rendered: renderDiagnostics(hints, loaded.sources), unconfirmed };
  } catch (error) {
    if (error instanceof PolicyTextError) return { policy: null, ownFile: file, diagnostics: error.diagnostics, rendered: error.message, unconfirmed: [] };
    throw error;
  }
}

export type InspectedPolicy = {
  /** Null: it does not load. */
  readonly policy: Policy | null;
  /** The name by which its own statements say where they stand. */
  readonly ownFile: string;
  /** Of the file and all that it extends. */
  readonly diagnostics: readonly PolicyDiagnostic[];
};

/** The same for what a file holds in an editor, whether it loads or not. `file`: its absolute path. Throws `bad-policy` for what no place in a text shows. */
export async function inspectPolicyText(file: string, text: string, workspace: string, clock = systemClock): Promise<InspectedPolicy> {
  try {
    const own = realPath(file);
    const { loaded, hints } = await inspect(file, { workspace, textOf: (path) => (path === own ? text : null) }, clock);
    return { policy: loaded.policy, ownFile: ownFileOf(loaded), diagnostics: hints };
  } catch (error) {
    if (error instanceof PolicyTextError) return { policy: null, ownFile: file, diagnostics: error.diagnostics };
    throw error;
  }
}

type Inspected = { readonly loaded: LoadedPolicy; readonly hints: readonly PolicyDiagnostic[]; readonly unconfirmed: readonly string[] };

async function inspect(file: string, named: { readonly workspace: string; readonly textOf?: TextOf }, clock: typeof systemClock): Promise<Inspected> {
  const setting = { workspace: realDirectory(named.workspace), home: realDirectory(homeDirectory()) };
  const { loaded, unconfirmed } = loadForReview(file, { ...named, ...setting });
  const { policy, warnings } = loaded;
  const hints = [
    ...warnings,
    ...expiryHints(policy, clock.nowMs()),
    ...ruleHints(policy),
    ...programHints(policy),
    ...ownerHints(policy),
    ...(await overBroadHints({ policy, tools: createRegistry(), setting, containment: "profile", ownPaths: policy.files, clock })),
  ];
  return { loaded, hints, unconfirmed };
}
