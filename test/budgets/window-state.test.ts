import { expect, test } from "vitest";
import { reserve, spend, type Budget, type BudgetWindow } from "../../src/budgets/budget.ts";
import { windowStates } from "../../src/budgets/window-state.ts";
import { movableClock, temporaryStore } from "../support/temporary-store.ts";

const HOUR_MS = 3_600_000;

function budgetWith(max: number, perMs: number | null = HOUR_MS) {
  const clock = movableClock(1_000_000_000);
  const window: BudgetWindow = { account: "a", meter: "cost", max, perMs, name: "limits.cost of test", isSoft: false };
  const budget: Budget = { store: temporaryStore(), clock, windows: [window], runId: null };
  const take = (cost: number): void => {
    const taken = reserve(budget, { cost });
    if (taken.kind === "spent") throw new Error("none left");
    spend(budget, taken);
  };
  return { budget, clock, take, state: (changes: Partial<BudgetWindow> = {}) => windowStates({ ...budget, windows: [{ ...window, ...changes }] })[0] };
}

test("an unused limit is all left and frees nothing", () => {
  expect(budgetWith(100).state()).toMatchObject({ used: 0, left: 100, freesAtMs: null, allFreeAtMs: null });
});

test("the oldest use is the first to be free again, the newest the last", () => {
  const { clock, take, state } = budgetWith(100);
  take(30);
  clock.advance(60_000);
  take(20);
  const firstAt = clock.nowMs() - 60_000;
  expect(state()).toMatchObject({ used: 50, left: 50, freesAtMs: firstAt + HOUR_MS, allFreeAtMs: firstAt + 60_000 + HOUR_MS });
  clock.advance(HOUR_MS - 60_000);
  expect(state()).toMatchObject({ used: 20, left: 80, freesAtMs: firstAt + 60_000 + HOUR_MS });
});

test("beyond a limit that was lowered, more comes only when use is below it again", () => {
  const { clock, take, state } = budgetWith(100);
  take(30);
  clock.advance(1_000);
  take(40);
  expect(state({ max: 35 })).toMatchObject({ used: 70, left: 0, freesAtMs: clock.nowMs() + HOUR_MS });
});

test("of a run's whole life nothing comes back", () => {
  const { take, state } = budgetWith(100, null);
  take(60);
  expect(state()).toMatchObject({ used: 60, left: 40, freesAtMs: null, allFreeAtMs: null });
});
