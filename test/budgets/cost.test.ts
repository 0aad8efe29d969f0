import { join } from "node:path";
import { expect, test } from "vitest";
import { budgetKey } from "../../src/budgets/budget.ts";
import { addCost, isCostSpent, type CostBudget } from "../../src/budgets/cost.ts";
import { movableClock, temporaryDirectory, temporaryStore } from "../support/temporary-store.ts";

function costOf(maxUsd: number, changes: Partial<CostBudget> = {}) {
  const clock = movableClock();
  const budget: CostBudget = {
    store: temporaryStore(),
    clock,
    key: budgetKey("p", "/p.yaml", "/w"),
    limit: { maxUsd, perMs: 1000 },
    runId: "run-1",
    ...changes,
  };
  return { budget, clock };
}

test("a limit of cost is spent when its window holds as much, and free again when the window has moved on", () => {
  const { budget, clock } = costOf(0.5);
  expect(isCostSpent(budget)).toBe(false);
  addCost(budget, 499_999);
  expect(isCostSpent(budget)).toBe(false);
  clock.advance(400);
  addCost(budget, 1);
  expect(isCostSpent(budget)).toBe(true);
  clock.advance(600);
  expect(isCostSpent(budget)).toBe(false);
});

test("what is free counts nothing, and a limit of nothing is always spent", () => {
  const { budget } = costOf(0);
  addCost(budget, 0);
  expect(isCostSpent(budget)).toBe(true);
});

test("another policy or workspace has a limit of its own", () => {
  const { budget } = costOf(1);
  addCost(budget, 1_000_000);
  expect(isCostSpent({ ...budget, key: budgetKey("p", "/p.yaml", "/other") })).toBe(false);
  expect(isCostSpent(budget)).toBe(true);
});

test("survives a restart", () => {
  const directory = join(temporaryDirectory(), "state");
  const { budget, clock } = costOf(1, { store: temporaryStore(directory) });
  addCost(budget, 1_000_000);
  expect(isCostSpent({ ...budget, store: temporaryStore(directory), clock })).toBe(true);
});
