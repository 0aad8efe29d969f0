import { compiled, type CompiledPolicy } from "./compiled-policy.ts";
import type { RuleVoice } from "../decision.ts";
import type { Facts, PathFact } from "../facts.ts";
import type { Policy } from "../policy.ts";
import type { PathCase } from "./unit-path.ts";
import type { CallRequest, ServerPlace } from "../request.ts";
import type { Assessment } from "./risk.ts";
import type { CompiledRule } from "../matching/command-rules.ts";
import type { UseCounts } from "../matching/rule-uses.ts";
import type { UnitCase } from "./units.ts";

/** The command rules that speak about one simple command. */
export type CommandVoices = {
  readonly denies: readonly CompiledRule[];
  readonly asks: readonly CompiledRule[];
  readonly allows: readonly CompiledRule[];
  /** Those of the policy that hold for what the model was given. */
  readonly tightens: readonly CompiledRule[];
};

/** What the steps look at that is the same for every unit of a call. */
export type CallSetting = {
  readonly policy: CompiledPolicy;
  readonly call: CallRequest;
  readonly facts: Facts;
  readonly uses: UseCounts;
  /** What the policy says against the tool, if anything. */
  readonly toolVoices: readonly RuleVoice[];
};

/** Everything that the steps look at when they decide one unit. */
export type UnitSetting = CallSetting & {
  readonly unit: UnitCase;
  readonly path: PathCase | null;
  readonly assessment: Assessment;
  readonly rules: CommandVoices;
  /** The unit's command has an effect of which nobody knows what it does. */
  readonly isOpaque: boolean;
};

const NOTHING_MEASURED: ReadonlyMap<string, PathFact> = new Map();

/** For each policy the same with a server's roots, by those roots. */
const seenPolicies = new WeakMap<Policy, Map<string, Policy>>();

/**
 * What a path or a command of an MCP server is judged by: the policy with the server's roots and hosts in the place of the run's, and what was measured below
 * them. The run's sandbox shows other files under the same names. What a server writes lies on this machine at once, so nothing of it waits for a review.
 */
export function asServerSees({ policy, facts }: Pick<CallSetting, "policy" | "facts">, place: ServerPlace): Pick<CallSetting, "policy" | "facts"> {
  // Which files hold keys under any name was found out for the run's sandbox.
  const { publicOnly: _publicOnly, privateKeys: _privateKeys, ...rest } = facts;
  const seen: Facts = { ...rest, measured: "host", paths: facts.served?.get(place.server) ?? NOTHING_MEASURED };
  return { policy: compiled(withRoots(policy.policy, place)), facts: seen };
}

function withRoots(policy: Policy, { roots, hosts = [], env = [] }: ServerPlace): Policy {
  const key = JSON.stringify([roots, hosts, env]);
  const known = seenPolicies.get(policy) ?? new Map<string, Policy>();
  seenPolicies.set(policy, known);
  let made = known.get(key);
  if (made === undefined) {
    made = { ...policy, workspace: { ...policy.workspace, roots }, sandbox: { ...policy.sandbox, workspace: "bind", network: { allow: hosts }, env } };
    known.set(key, made);
  }
  return made;
}
