import { digestOf } from "../base/digest.ts";
import type { Meter, Policy, WindowLimit } from "../policy/policy.ts";
import { microUsd } from "../policy/text/quantity.ts";
import { oncePerGroup } from "../policy/matching/rule-words.ts";
import { budgetKey, type Budget, type BudgetWindow, ruleMeter } from "./budget.ts";

/** What a budget is for. */
export type BudgetPlace = {
  /** Real path. */
  readonly workspace: string;
  readonly runId: string | null;
  /** The job that the run is of; null for one that a person started. */
  readonly job: string | null;
};

/** The account of a policy's own limits in a workspace. */
export function policyAccount(policy: Policy, workspace: string): string {
  return budgetKey(policy.name, policy.files[0] ?? policy.name, workspace);
}

/** Every limit that a run under a policy is held to: of the policy and all that it extends, of the run, and of the job that it is of. */
export function budgetOf(policy: Policy, { workspace, runId, job }: BudgetPlace, { store, clock }: Pick<Budget, "store" | "clock">): Budget {
  const stated = policy.limits.windows.flatMap((window) => {
    if (window.scope === "policy") return [windowOn(policyAccountOf(policy, window, workspace), window)];
    return job === null ? [] : [windowOn(jobAccount(job), window)];
  });
  return { store, clock, runId, windows: [...stated, ...(runId === null ? [] : runWindows(policy, runId)), ...ruleWindows(policy, workspace, runId)] };
}

/** Removing a job and adding it anew gives it no new budget. */
function jobAccount(job: string): string {
  return digestOf(["job", job]);
}

function policyAccountOf(policy: Policy, { by, level }: Pick<WindowLimit, "by" | "level">, workspace: string): string {
  return budgetKey(by, policy.files[level] ?? by, workspace);
}

function windowOn(account: string, { meter, max, perMs, by, scope }: WindowLimit): BudgetWindow {
  const name = scope === "policy" ? `limits.${meter} of ${by}` : `limits.schedule.${meter} of ${by}`;
  return { account, meter, max, perMs, name, isSoft: false };
}

/** Of each rule that may be used so often. A run's own account is that of the run: its sub-agents share it, and it goes on when the run does. */
function ruleWindows(policy: Policy, workspace: string, runId: string | null): readonly BudgetWindow[] {
  return oncePerGroup(policy.commands.rules).flatMap(({ id, max }): BudgetWindow[] => {
    if (max === undefined || (max.perMs === null && runId === null)) return [];
    const account = digestOf(["rule", id, max.perMs === null ? ["run", runId] : policyAccountOf(policy, max, workspace)]);
    return [{ account, meter: ruleMeter(id), max: max.times, perMs: max.perMs, name: `max of the rule ${id} of ${max.by}`, isSoft: false }];
  });
}

/** Of a run's whole life, over all its suspensions. Its tokens and minutes end it when they are gone; that of other limits it must never take more than there is. */
function runWindows(policy: Policy, runId: string): readonly BudgetWindow[] {
  const { actions, calls, asks, maxUsd, tokens, minutes } = policy.limits.run;
  const account = digestOf(["run", runId]);
  const window = (meter: Meter, max: number | null, name: string, isSoft = false): BudgetWindow[] =>
    max === null ? [] : [{ account, meter, max, perMs: null, name: `limits.run.${name} of ${policy.name}`, isSoft }];
  return [
    ...window("actions", actions, "actions"),
    ...window("calls", calls, "calls"),
    ...window("asks", asks, "asks"),
    ...window("tokens", tokens, "tokens", true),
    ...window("cost", maxUsd === null ? null : microUsd(maxUsd), "max-usd"),
    ...window("minutes", minutes * 60_000, "minutes", true),
  ];
}
