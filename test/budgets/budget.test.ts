import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { left, NO_RESERVATION, release, reserve, settle, spend, type Budget, type BudgetWindow, type Reservation } from "../../src/budgets/budget.ts";
import { openStore } from "../../src/store/store.ts";
import { killSpenders } from "../support/budget-kills.ts";
import { rounds } from "../support/extent.ts";
import { countingBudget } from "../support/counting-budget.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { movableClock, temporaryDirectory, temporaryStore } from "../support/temporary-store.ts";
import { once } from "../support/until.ts";

const ACTION: BudgetWindow = { account: "own", meter: "actions", max: 2, perMs: 1_000, name: "limits.actions of test", isSoft: false };

function budgetOf(windows: readonly BudgetWindow[], store = temporaryStore(), clock = movableClock()) {
  const budget: Budget = { store, clock, windows, runId: "run-1" };
  return { budget, clock, store };
}

function take(budget: Budget, amounts: Parameters<typeof reserve>[1] = { actions: 1 }): Reservation {
  const reservation = reserve(budget, amounts);
  if (reservation.kind === "spent") throw new Error("none left");
  return reservation;
}

describe("a budget", () => {
  test("gives as many as it has in its window, and again when the window has moved on", () => {
    const { budget, clock } = budgetOf([ACTION]);
    spend(budget, take(budget));
    clock.advance(600);
    spend(budget, take(budget));
    expect(left(budget, "actions")).toBe(0);
    expect(reserve(budget, { actions: 1 })).toEqual({ kind: "spent", window: ACTION });
    clock.advance(400);
    expect(left(budget, "actions")).toBe(1);
    take(budget);
    expect(reserve(budget, { actions: 1 }).kind).toBe("spent");
  });

  test("takes back what was not spent, and nothing that was", () => {
    const { budget } = budgetOf([{ ...ACTION, max: 1 }]);
    release(budget, take(budget));
    expect(left(budget, "actions")).toBe(1);
    const spent = take(budget);
    spend(budget, spent);
    release(budget, spent);
    expect(left(budget, "actions")).toBe(0);
  });

  test("gives nothing more when the clock goes back", () => {
    const { budget, clock } = budgetOf([{ ...ACTION, max: 1 }]);
    spend(budget, take(budget));
    clock.advance(-60_000);
    expect(reserve(budget, { actions: 1 }).kind).toBe("spent");
  });

  test("of a run's whole life never moves on", () => {
    const { budget, clock } = budgetOf([{ ...ACTION, max: 1, perMs: null }]);
    spend(budget, take(budget));
    clock.advance(400 * 86_400_000);
    expect(reserve(budget, { actions: 1 }).kind).toBe("spent");
  });

  test("without a limit counts nothing", () => {
    const { budget, store } = budgetOf([ACTION]);
    expect(reserve(budget, { calls: 1 })).toEqual(NO_RESERVATION);
    expect(left(budget, "calls")).toBeNull();
    expect(store.ledger.sum("own", "calls", null)).toBe(0);
  });

  test("takes from every account or from none", () => {
    const parent = { ...ACTION, account: "parent", max: 3 };
    const { budget, store } = budgetOf([parent, ACTION]);
    const other = { ...budget, windows: [parent, { ...ACTION, account: "other" }] };
    take(budget);
    take(budget);
    take(other);
    expect(reserve(other, { actions: 1 })).toMatchObject({ kind: "spent", window: { account: "parent" } });
    expect(left(other, "actions")).toBe(0);
    expect([store.ledger.sum("parent", "actions", null), store.ledger.sum("own", "actions", null), store.ledger.sum("other", "actions", null)]).toEqual([
      3, 2, 1,
    ]);
  });

  test("holds each of several windows on one account, and takes once", () => {
    const { budget, clock } = budgetOf([ACTION, { ...ACTION, max: 3, perMs: 60_000 }]);
    for (let round = 0; round < 3; round += 1) {
      spend(budget, take(budget));
      clock.advance(900);
    }
    clock.advance(10_000);
    expect(reserve(budget, { actions: 1 })).toMatchObject({ kind: "spent", window: { perMs: 60_000 } });
  });

  test("counts what was really used, once that is known, and what was reserved until then", () => {
    const cost = { ...ACTION, meter: "cost", max: 100 } as const;
    const { budget } = budgetOf([cost]);
    const answer = take(budget, { cost: 70 });
    expect(reserve(budget, { cost: 31 }).kind).toBe("spent");
    settle(budget, answer, { cost: 10 });
    expect(left(budget, "cost")).toBe(90);
    settle(budget, take(budget, { cost: 90 }), {});
    expect(left(budget, "cost")).toBe(0);
  });

  test("that is soft refuses when nothing is left, and not when less is left than is wanted", () => {
    const tokens = { ...ACTION, meter: "tokens", max: 100, isSoft: true } as const;
    const { budget } = budgetOf([tokens]);
    settle(budget, take(budget, { tokens: 1_000 }), { tokens: 99 });
    settle(budget, take(budget, { tokens: 1_000 }), { tokens: 99 });
    expect(reserve(budget, { tokens: 1 }).kind).toBe("spent");
    expect(left(budget, "tokens", true)).toBeNull();
  });

  test("never lets more than its limit into any window, whatever the order of steps", () => {
    const store = temporaryStore();
    let round = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4 }),
        fc.array(fc.oneof(fc.constant("take"), fc.constant("back"), fc.integer({ min: 1, max: 700 })), { maxLength: 40 }),
        (max, steps) => {
          round += 1;
          const { budget, clock } = budgetOf([{ ...ACTION, account: `round-${round}`, max }], store);
          const spentAt: number[] = [];
          for (const step of steps) {
            const inWindow = spentAt.filter((at) => at > clock.nowMs() - 1_000).length;
            if (typeof step === "number") {
              clock.advance(step);
              continue;
            }
            const reservation = reserve(budget, { actions: 1 });
            expect(reservation.kind === "spent").toBe(inWindow >= max);
            if (reservation.kind === "spent") continue;
            if (step === "back") release(budget, reservation);
            else {
              spend(budget, reservation);
              spentAt.push(clock.nowMs());
            }
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

function sharedBudget(max: number): { readonly state: string; readonly budget: Budget } {
  const state = join(temporaryDirectory(), "state");
  const budget = countingBudget(state, max);
  onTestFinished(() => {
    budget.store.close();
  });
  return { state, budget };
}

describe("a budget over several processes", () => {
  test("is never exceeded and never lost", async () => {
    // Half of what all of them try together.
    const [processes, tries] = [rounds(4, 8), rounds(50, 250)];
    const max = (processes * tries) / 2;
    const { state, budget } = sharedBudget(max);
    const spend = (index: number) => runProgram("reserve-actions", state, String(tries), String(max), String(index * 2));
    const outputs = await Promise.all(Array.from({ length: processes }, (_, index) => spend(index)));
    expect(outputs.reduce((sum, output) => sum + Number(output), 0)).toBe(max);
    expect(budget.store.ledger.sum("shared", "actions", null)).toBe(max);
  });

  test("killed at any moment, processes leave nothing reserved and nothing forgotten", async () => {
    const report = await killSpenders(temporaryDirectory(), rounds(2, 6));
    expect(report.faults).toEqual([]);
    expect(report.done).toBeGreaterThan(0);
  });

  // What is counted when it is spent is free again; what costs from its first moment counts in full.
  test.each([
    ["actions", "hold", 1],
    ["actions", "spend", 0],
    ["calls", "hold", 1],
    ["asks", "hold", 1],
    ["tokens", "hold", 0],
    ["cost", "hold", 0],
    ["minutes", "hold", 0],
  ] as const)("a process killed over its %s (%s) leaves %i of 1: no phantom and no free pass", async (meter, what, expected) => {
    const { state, budget } = sharedBudget(1);
    const holder = startProgram("reserve-and-wait", state, meter, what);
    await once(holder.stdout, "data");
    expect(reserve(budget, { [meter]: 1 }).kind).toBe("spent");
    const closed = once(holder, "close");
    holder.kill("SIGKILL");
    await closed;
    expect(left(budget, meter)).toBe(expected);
  });
});

test("the state survives a restart", () => {
  const state = join(temporaryDirectory(), "state");
  const first = openStore(state);
  const { budget, clock } = budgetOf([{ ...ACTION, max: 1 }], first);
  spend(budget, take(budget));
  first.close();
  expect(left(budgetOf([{ ...ACTION, max: 1 }], temporaryStore(state), clock).budget, "actions")).toBe(0);
});
