import type { Difference } from "../../policy/comparing/difference.ts";
import { Deciders, type Places } from "../../policy/comparing/wanted.ts";
import type { Decision } from "../../policy/decision.ts";
import { strictness } from "../../policy/deciding/evaluate.ts";
import type { Policy } from "../../policy/policy.ts";
import type { LoggedCall } from "./backtest/logged-calls.ts";
import { wantedIn } from "./backtest/logged-wanted.ts";

/** What was counted: logged calls that both policies were asked about, and those of which the log has too little. */
export type Counted = { readonly calls: number; readonly lost: number };

/** Tells of each difference that is about calls how many of the log lie in it, each once. They are decided as a witness is: in an empty workspace, without limits. */
export function withLogged(
  differences: readonly Difference[],
  [before, after]: readonly [Policy, Policy],
  places: Places,
  log: readonly LoggedCall[],
): { readonly differences: readonly Difference[]; readonly counted: Counted } {
  const deciders = new Deciders(before, after, places);
  const wantedOf = wantedIn(places);
  const counts = new Map<Difference, number>();
  let lost = 0;
  for (const call of log) {
    const logged = wantedOf(call);
    if (logged === null) lost += 1;
    else {
      const decided = logged.wanted.map((wanted) => deciders.decide(wanted, logged.circumstances));
      for (const one of differences) if (decided.some((pair) => liesIn(one, pair))) counts.set(one, (counts.get(one) ?? 0) + 1);
    }
  }
  return {
    differences: differences.map((one) => (one.explains === undefined ? one : { ...one, logged: counts.get(one) ?? 0 })),
    counted: { calls: log.length - lost, lost },
  };
}

function liesIn({ direction, witness, explains }: Difference, [before, after]: readonly [Decision, Decision]): boolean {
  if (witness !== undefined && (before.verdict !== witness.before.verdict || after.verdict !== witness.after.verdict)) return false;
  return before.units.some((unit, index) => {
    const next = after.units[index];
    if (next === undefined) return false;
    const looser = strictness(unit.verdict) - strictness(next.verdict);
    return (direction === "tightens" ? looser < 0 : looser > 0) && explains?.(unit, next) === true;
  });
}
