import type { CommandRule, Policy } from "../policy.ts";

/** How often each rule with a limit was used, as far as it matters; by {@link counterOf}. */
export type UseState = ReadonlyMap<string, number>;

/** Of the limits of the rules that meet in a region, no more states are told apart. */
const MAX_STATES = 81;

/** What counts the uses of a rule. A rule of the same name counts on in the other policy, if it counts over the same time. */
function counterOf({ id, max }: CommandRule): string {
  return JSON.stringify([id, max?.perMs]);
}

export function isUsedUp(rule: CommandRule, state: UseState): boolean {
  return rule.max !== undefined && (state.get(counterOf(rule)) ?? 0) >= rule.max.times;
}

/** Every state that the limits of the rules tell apart; null: they are too many. */
export function useStatesOf(rules: readonly CommandRule[]): readonly UseState[] | null {
  const limited = rules.filter(({ max }) => max !== undefined);
  let states: readonly UseState[] = [new Map()];
  for (const [counter, alike] of Map.groupBy(limited, counterOf)) {
    const counts = [0, ...new Set(alike.map(({ max }) => max?.times ?? 0))];
    states = states.flatMap((state) => counts.map((count) => new Map([...state, [counter, count]])));
    if (states.length > MAX_STATES) return null;
  }
  return states;
}

/** Counts of uses that show a limit of either policy, one rule at a time. */
export function usesToShow(before: Policy, after: Policy): readonly Readonly<Record<string, number>>[] {
  const limited = [before, after].flatMap(({ commands: { rules } }) => rules.filter(({ max }) => max !== undefined));
  const counts = limited.map(({ id, max }) => JSON.stringify({ [id]: max?.times ?? 0 }));
  return [...new Set(counts)].map((text) => JSON.parse(text) as Record<string, number>);
}
