import { inLedger, left, used, type Budget, type BudgetWindow } from "./budget.ts";

/** How a limit stands now, in the units of the ledger. */
export type WindowState = {
  readonly window: BudgetWindow;
  readonly used: number;
  readonly left: number;
  /** The first moment at which more will be left than now; null when that never comes, or nothing is used. */
  readonly freesAtMs: number | null;
  /** When all of it will be free, if nothing more is taken; null as above. */
  readonly allFreeAtMs: number | null;
};

/** Every limit of a budget as it stands now. Throws `store-unavailable`. */
export function windowStates(budget: Budget): readonly WindowState[] {
  return budget.windows.map((window) =>
    budget.store.exclusively(() => {
      // What dead processes left is given back first.
      left({ ...budget, windows: [window] }, window.meter);
      const taken = used(budget, window);
      const state = { window, used: taken, left: Math.max(0, window.max - taken) };
      return { ...state, ...freeing(budget, state) };
    }),
  );
}

function freeing(
  { store, clock }: Budget,
  { window, used: taken, left: now }: Pick<WindowState, "window" | "used" | "left">,
): Pick<WindowState, "freesAtMs" | "allFreeAtMs"> {
  const { account, meter, max, perMs } = window;
  if (perMs === null) return { freesAtMs: null, allFreeAtMs: null };
  const entries = store.ledger.entries(account, inLedger(meter), clock.nowMs() - perMs);
  let still = taken;
  let freesAtMs: number | null = null;
  for (const { atMs, amount } of entries) {
    still -= amount;
    if (freesAtMs === null && max - still > now) freesAtMs = atMs + perMs;
  }
  const last = entries.findLast(({ amount }) => amount > 0);
  return { freesAtMs, allFreeAtMs: last === undefined ? null : last.atMs + perMs };
}
