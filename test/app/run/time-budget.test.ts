import { expect, test } from "vitest";
import { startTimeLease } from "../../../src/app/run/time-budget.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { left, type Budget, type BudgetWindow } from "../../../src/budgets/budget.ts";
import { openStore } from "../../../src/store/store.ts";
import { until } from "../../support/until.ts";
import { movableClock, temporaryDirectory, temporaryStore } from "../../support/temporary-store.ts";

const WINDOW: BudgetWindow = { account: "a", meter: "minutes", max: 120_000, perMs: 86_400_000, name: "limits.minutes of test", isSoft: false };

function budgetOf(max: number, store = temporaryStore()): Budget {
  return { store, clock: movableClock(), windows: [{ ...WINDOW, max }], runId: "run-1" };
}

test("a minute is taken before it passes, and what was not used of it is given back", () => {
  const budget = budgetOf(120_000);
  const clock = movableClock();
  const lease = startTimeLease(budget, clock);
  expect(left(budget, "minutes")).toBe(60_000);
  clock.advance(1_500);
  lease.end();
  lease.end();
  expect(left(budget, "minutes")).toBe(118_500);
  expect(lease.signal.aborted).toBe(false);
});

test("the run ends when nothing is left, and not before", async () => {
  const budget = budgetOf(40);
  const lease = startTimeLease(budget, systemClock, 15);
  expect(lease.signal.aborted).toBe(false);
  await until("the lease is over", () => lease.signal.aborted);
  expect(lease.reason()).toBe("Nothing is left of limits.minutes of test.");
  lease.end();
  expect(left(budget, "minutes")).toBe(0);
});

test("with nothing left at its start a run is over at once", () => {
  const lease = startTimeLease(budgetOf(0), systemClock);
  expect([lease.signal.aborted, lease.reason()]).toEqual([true, "Nothing is left of limits.minutes of test."]);
});

test("time that cannot be counted ends the run, and is not given back", async () => {
  const state = `${temporaryDirectory()}/state`;
  const store = openStore(state);
  const lease = startTimeLease(budgetOf(1_000, store), systemClock, 20);
  store.close();
  await until("the lease is over", () => lease.signal.aborted);
  expect(lease.reason()).toMatch(/^The time of the run cannot be counted: /u);
  expect(() => lease.end()).toThrow(expect.objectContaining({ code: "store-unavailable" }));
  expect(left(budgetOf(1_000, temporaryStore(state)), "minutes")).toBe(980);
});

test("a process that stood still has used that time, too", async () => {
  const budget = budgetOf(100_000);
  const clock = movableClock();
  const lease = startTimeLease(budget, clock, 20);
  clock.advance(30_000);
  await until("the next piece was taken", () => (left(budget, "minutes") ?? 0) < 100_000 - 20);
  expect(left(budget, "minutes")).toBe(100_000 - 30_000 - 20);
  clock.advance(40_000);
  lease.end();
  expect(left(budget, "minutes")).toBe(30_000);
});
