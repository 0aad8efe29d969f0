import { systemClock } from "../../src/base/clock.ts";
import type { Budget } from "../../src/budgets/budget.ts";
import { METERS } from "../../src/policy/policy.ts";
import { openStore, type Store } from "../../src/store/store.ts";

/** A budget of `max` an hour of everything, on one account below a state directory: the same for every process that asks. */
export function countingBudget(state: string, max: number): Budget & { readonly store: Store } {
  const windows = METERS.map((meter) => ({ account: "shared", meter, max, perMs: 3_600_000, name: `limits.${meter} of test`, isSoft: false }));
  return { store: openStore(state), clock: systemClock, windows, runId: null };
}
