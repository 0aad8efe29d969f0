import { compilePathPatterns, type PathPatternSet } from "./patterns.ts";
import type { Policy } from "./policy.ts";
import { compileRule, type CompiledRule } from "./rules.ts";
import { isSealed } from "./sealed.ts";

/** A policy with every pattern read once. */
export type CompiledPolicy = {
  readonly policy: Policy;
  readonly forbidden: PathPatternSet;
  readonly protected: PathPatternSet;
  readonly denyRules: readonly CompiledRule[];
  readonly askRules: readonly CompiledRule[];
  readonly allowRules: readonly CompiledRule[];
  readonly isSealed: boolean;
};

const compiledPolicies = new WeakMap<Policy, CompiledPolicy>();

/** The compiled form of a policy; made at its first use and kept as long as the policy, which never changes. */
export function compiled(policy: Policy): CompiledPolicy {
  const known = compiledPolicies.get(policy);
  if (known !== undefined) return known;
  const rules = policy.commands.rules.map(compileRule);
  const made: CompiledPolicy = {
    policy,
    forbidden: compilePathPatterns(policy.workspace.forbidden),
    protected: compilePathPatterns(policy.workspace.protected),
    denyRules: rules.filter(({ rule }) => rule.verdict === "deny"),
    askRules: rules.filter(({ rule }) => rule.verdict === "ask"),
    allowRules: rules.filter(({ rule }) => rule.verdict === "allow"),
    isSealed: isSealed(policy),
  };
  compiledPolicies.set(policy, made);
  return made;
}
