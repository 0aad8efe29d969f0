import { budgetOf } from "../../../budgets/accounts.ts";
import { type Amounts, type Budget, charge, left, ruleUses } from "../../../budgets/budget.ts";
import { ruleAmounts } from "../../../gate/budget-record.ts";
import type { CheckParts } from "../../../gate/check.ts";
import type { Decision } from "../../../policy/decision.ts";
import { countsAsAction } from "../../../policy/deciding/evaluate.ts";
import type { CallRequest } from "../../../policy/request.ts";

/** The limits that a supposed call of a run is held to. */
export type Counting = {
  /** Nothing is left of the limit on calls. */
  readonly isOutOfCalls: boolean;
  readonly state: NonNullable<CheckParts["state"]>;
  /** Takes what the decided call takes. `isRefused`: a person would say no to a question about it. */
  take(judged: { readonly call: CallRequest; readonly decision: Decision }, isRefused: boolean): void;
};

/** Counts supposed calls by a ledger that is given, at the time of a clock. Spends nothing of the real ones. */
export function countingOf({ policy, clock, setting }: Pick<CheckParts, "policy" | "clock" | "setting">, run: string, store: Budget["store"]): Counting {
  const budget = budgetOf(policy, { workspace: setting.workspace, runId: run, job: null }, { store, clock });
  return {
    isOutOfCalls: left(budget, "calls") === 0,
    state: { isStopped: () => false, actionsLeft: () => left(budget, "actions"), asksLeft: () => left(budget, "asks"), uses: () => ruleUses(budget) },
    take: ({ call, decision }, isRefused) => {
      const ofPermit = { ...(countsAsAction(policy, decision) && { actions: 1 }), ...ruleAmounts(budget, policy, call, decision) };
      charge(budget, amountsOf(decision, isRefused, ofPermit));
    },
  };
}

/** What the call would have taken: a question, and what its permit takes where it may run. */
function amountsOf({ verdict }: Decision, isRefused: boolean, ofPermit: Amounts): Amounts {
  const mayRun = verdict === "allow" || (verdict === "ask" && !isRefused);
  return { calls: 1, ...(verdict === "ask" && { asks: 1 }), ...(mayRun && ofPermit) };
}
