import { baselineVoice } from "./autonomy.ts";
import type { Risk, RuleVoice } from "../decision.ts";
import { PathPatternSet } from "../matching/path-patterns.ts";
import type { CommandRule, Policy } from "../policy.ts";
import { compileRule, type CompiledRule } from "../matching/command-rules.ts";
import { RuleIndex } from "../matching/rule-index.ts";
import { isCodeContained, isSealed } from "./sealed-profile.ts";

/** A policy with every pattern read once. */
export type CompiledPolicy = {
  readonly policy: Policy;
  readonly forbidden: PathPatternSet;
  /** Whatever a file holds. */
  readonly alwaysForbidden: PathPatternSet;
  readonly protected: PathPatternSet;
  readonly denyRules: RuleIndex;
  readonly askRules: RuleIndex;
  readonly allowRules: RuleIndex;
  /** Those that speak only when the model was given something. */
  readonly conditionalRules: RuleIndex;
  /** Those that may be used so often and no more. */
  readonly limitedRules: readonly CompiledRule[];
  readonly sensitive: PathPatternSet;
  /** Whether there is any command rule. */
  readonly hasRules: boolean;
  readonly isSealed: boolean;
  readonly isCodeContained: boolean;
  /** What the last step says of each risk, where there is nothing to note. */
  readonly baselines: Readonly<Record<Risk, readonly RuleVoice[]>>;
};

const compiledPolicies = new WeakMap<Policy, CompiledPolicy>();

/** The compiled form of a policy; made at its first use and kept as long as the policy, which never changes. */
export function compiled(policy: Policy): CompiledPolicy {
  const known = compiledPolicies.get(policy);
  if (known !== undefined) return known;
  const rules = policy.commands.rules.filter(({ when }) => when === undefined).map(compileRule);
  const conditional = policy.commands.rules.filter(({ when }) => when !== undefined).map(compileRule);
  const of = (verdict: CommandRule["verdict"]): RuleIndex => new RuleIndex(rules.filter(({ rule }) => rule.verdict === verdict));
  const roots = policy.workspace.roots.map((root) => root.path);
  const made: CompiledPolicy = {
    policy,
    forbidden: new PathPatternSet(policy.workspace.forbidden, roots),
    alwaysForbidden: new PathPatternSet(
      policy.workspace.forbidden.filter(({ isOfKeys }) => isOfKeys !== true),
      roots,
    ),
    protected: new PathPatternSet(policy.workspace.protected, roots),
    denyRules: of("deny"),
    askRules: of("ask"),
    allowRules: of("allow"),
    conditionalRules: new RuleIndex(conditional),
    limitedRules: [...rules, ...conditional].filter(({ rule }) => rule.max !== undefined),
    sensitive: new PathPatternSet(policy.workspace.sensitive ?? [], roots),
    hasRules: policy.commands.rules.length > 0,
    isSealed: isSealed(policy),
    isCodeContained: isCodeContained(policy),
    baselines: {
      low: [baselineVoice(policy, "low", null)],
      medium: [baselineVoice(policy, "medium", null)],
      high: [baselineVoice(policy, "high", null)],
    },
  };
  compiledPolicies.set(policy, made);
  return made;
}
