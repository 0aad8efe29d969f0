import type { Clock } from "../base/clock.ts";
import type { Store } from "../store/store.ts";

const MICRO_USD = 1_000_000;

/** A limit on what models cost in a sliding window, counted over all processes and restarts. */
export type CostBudget = {
  readonly store: Store;
  readonly clock: Clock;
  /** `budgetKey` */
  readonly key: string;
  readonly limit: { readonly maxUsd: number; readonly perMs: number };
  readonly runId: string | null;
};

/**
 * Whether the window that ends now has nothing left. An answer is paid for after it was given, so a limit is exceeded
 * by at most one answer of each run that is going on. Throws `store-unavailable`.
 */
export function isCostSpent(budget: CostBudget): boolean {
  const spent = budget.store.exclusively(() => budget.store.spending.sum(budget.key, budget.clock.nowMs() - budget.limit.perMs));
  return spent >= budget.limit.maxUsd * MICRO_USD;
}

/** Counts the cost of one answer, in millionths of a US dollar. Throws `store-unavailable`; then nothing more may be asked. */
export function addCost(budget: CostBudget, microUsd: number): void {
  if (microUsd === 0) return;
  budget.store.exclusively(() => budget.store.spending.add({ key: budget.key, atMs: budget.clock.nowMs(), run: budget.runId, microUsd }));
}
