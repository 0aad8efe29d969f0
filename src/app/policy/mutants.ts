import type { SourcePosition } from "../../policy/decision.ts";
import { oncePerGroup } from "../../policy/matching/rule-words.ts";
import type { CommandRule, PathPattern, Policy } from "../../policy/policy.ts";

/** A policy with one of its own statements left out or loosened. */
export type Mutant = {
  /** `the rule no-tags`, `the effect sends`, `the forbidden path secret/**`. */
  readonly what: string;
  readonly change: "left out" | "without its limit" | "asks instead of denying" | "allows instead of asking";
  readonly at: SourcePosition;
  readonly policy: Policy;
};

const LOOSER = { deny: "ask", ask: "allow", allow: null } as const;
const LOOSENED = { deny: "asks instead of denying", ask: "allows instead of asking" } as const;

type Places = { readonly workspace: string; readonly home: string };

type Statement = { readonly at: SourcePosition };

/** Every mutant of what is a policy's own: rules, effects, paths and tools. What it extends has a suite of its own. */
export function mutantsOf(policy: Policy, isOwn: (statement: Statement) => boolean, places: Places): readonly Mutant[] {
  const { forbidden, protected: closed, sensitive = [] } = policy.workspace;
  return [
    ...oncePerGroup(policy.commands.rules)
      .filter(isOwn)
      .flatMap((rule) => ruleMutants(policy, rule)),
    ...[...policy.commands.effects]
      .filter(([, effect]) => isOwn(effect))
      .flatMap(([kind, { verdict, at }]): Mutant[] => {
        const what = `the effect ${kind}`;
        const looser = LOOSER[verdict];
        const without = withEffects(
          policy,
          [...policy.commands.effects].filter(([other]) => other !== kind),
        );
        const loosened = (to: "allow" | "ask"): Policy =>
          withEffects(
            policy,
            [...policy.commands.effects].map(([other, effect]) => [other, other === kind ? { ...effect, verdict: to } : effect]),
          );
        return [
          { what, change: "left out", at, policy: without },
          ...(looser === null || verdict === "allow" ? [] : [{ what, change: LOOSENED[verdict], at, policy: loosened(looser) }]),
        ];
      }),
    ...forbidden.filter(isOwn).map((path) => pathMutant(policy, "forbidden", path, places)),
    ...closed.filter(isOwn).map((path) => pathMutant(policy, "protected", path, places)),
    ...sensitive.filter(isOwn).map((path) => pathMutant(policy, "sensitive", path, places)),
    ...policy.tools.deny.flatMap((tool): Mutant[] => {
      const at = policy.positions?.get(`tools.deny.${tool}`);
      if (at === undefined || !isOwn({ at })) return [];
      return [
        {
          what: `the denied tool ${tool}`,
          change: "left out",
          at,
          policy: { ...policy, tools: { ...policy.tools, deny: policy.tools.deny.filter((other) => other !== tool) } },
        },
      ];
    }),
  ];
}

function ruleMutants(policy: Policy, { id, verdict, max, at }: CommandRule): readonly Mutant[] {
  const what = `the rule ${id}`;
  const looser = LOOSER[verdict];
  const withRules = (change: (rule: CommandRule) => readonly CommandRule[]): Policy => ({
    ...policy,
    commands: { ...policy.commands, rules: policy.commands.rules.flatMap((rule) => (rule.id === id ? change(rule) : [rule])) },
  });
  return [
    { what, change: "left out", at, policy: withRules(() => []) },
    ...(max === undefined ? [] : [{ what, change: "without its limit", at, policy: withRules(({ max: _limit, ...rule }) => [rule]) } as const]),
    ...(looser === null || verdict === "allow"
      ? []
      : [{ what, change: LOOSENED[verdict], at, policy: withRules((rule) => [{ ...rule, verdict: looser }]) } as const]),
  ];
}

function withEffects(policy: Policy, effects: readonly (readonly [string, { readonly verdict: string; readonly at: SourcePosition }])[]): Policy {
  return { ...policy, commands: { ...policy.commands, effects: new Map(effects) as Policy["commands"]["effects"] } };
}

function pathMutant(policy: Policy, kind: "forbidden" | "protected" | "sensitive", path: PathPattern, { workspace: root, home }: Places): Mutant {
  const workspace = { ...policy.workspace, [kind]: (policy.workspace[kind] ?? []).filter((other) => other !== path) };
  const shown = path.pattern
    .replace(/^\/(?=\*\*)/u, "")
    .replace(`${root}/`, "")
    .replace(`${home}/`, "~/");
  return { what: `the ${kind} path ${shown}`, change: "left out", at: path.at, policy: { ...policy, workspace } };
}
