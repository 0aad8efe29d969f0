import { once } from "node:events";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { actionsLeft, budgetKey, release, reserve, spend, type Budget, type Reservation } from "../../src/budgets/budget.ts";
import { systemClock } from "../../src/base/clock.ts";
import { openStore } from "../../src/store/store.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { movableClock, temporaryDirectory, temporaryStore } from "../support/temporary-store.ts";

const KEY = budgetKey("p", "/p.yaml", "/w");

function budgetOf(max: number, perMs: number, store = temporaryStore(), clock = movableClock()) {
  const budget: Budget = { store, clock, kind: "action", key: KEY, limit: { max, perMs }, runId: "run-1" };
  return { budget, clock, store };
}

function take(budget: Budget): Reservation {
  const reservation = reserve(budget);
  if (reservation === null) throw new Error("none left");
  return reservation;
}

describe("a budget", () => {
  test("gives as many as it has in its window, and again when the window has moved on", () => {
    const { budget, clock } = budgetOf(2, 1_000);
    spend(budget, take(budget));
    clock.advance(600);
    spend(budget, take(budget));
    expect(actionsLeft(budget)).toBe(0);
    expect(reserve(budget)).toBeNull();
    clock.advance(400);
    expect(actionsLeft(budget)).toBe(1);
    take(budget);
    expect(reserve(budget)).toBeNull();
  });

  test("takes back what was not spent, and nothing that was", () => {
    const { budget } = budgetOf(1, 1_000);
    release(budget, take(budget));
    expect(actionsLeft(budget)).toBe(1);
    const spent = take(budget);
    spend(budget, spent);
    release(budget, spent);
    expect(actionsLeft(budget)).toBe(0);
  });

  test("gives nothing more when the clock goes back", () => {
    const { budget, clock } = budgetOf(1, 1_000);
    spend(budget, take(budget));
    clock.advance(-60_000);
    expect(reserve(budget)).toBeNull();
  });

  test("is another one for another policy, file, workspace or kind only", () => {
    const { budget } = budgetOf(1, 1_000);
    spend(budget, take(budget));
    expect(reserve({ ...budget, runId: "run-2" })).toBeNull();
    expect(new Set([KEY, budgetKey("q", "/p.yaml", "/w"), budgetKey("p", "/q.yaml", "/w"), budgetKey("p", "/p.yaml", "/x")]).size).toBe(4);
    expect(reserve({ ...budget, key: budgetKey("q", "/p.yaml", "/w") })).not.toBeNull();
    expect(reserve({ ...budget, kind: "ask" })).not.toBeNull();
  });

  test("without a limit counts nothing", () => {
    const { budget } = budgetOf(0, 1_000);
    expect(reserve(budget)).toBeNull();
    expect(reserve({ ...budget, limit: null })).toEqual({ kind: "unlimited" });
    expect(actionsLeft({ ...budget, limit: null })).toBeNull();
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
          const { budget, clock } = budgetOf(max, 1_000, store);
          const own = { ...budget, key: `round-${round}` };
          const spentAt: number[] = [];
          for (const step of steps) {
            const inWindow = spentAt.filter((at) => at > clock.nowMs() - 1_000).length;
            if (typeof step === "number") {
              clock.advance(step);
              continue;
            }
            const reservation = reserve(own);
            expect(reservation === null).toBe(inWindow >= max);
            if (reservation === null) continue;
            if (step === "back") release(own, reservation);
            else {
              spend(own, reservation);
              spentAt.push(clock.nowMs());
            }
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe("a budget over several processes", () => {
  test("is never exceeded and never lost", async () => {
    const state = join(temporaryDirectory(), "state");
    temporaryStore(state);
    const outputs = await Promise.all(Array.from({ length: 4 }, (_, index) => runProgram("reserve-actions", state, "60", "100", String(index * 2))));
    expect(outputs.reduce((sum, output) => sum + Number(output), 0)).toBe(100);
  });

  test("a process killed before it spent leaves no phantom; one killed after leaves no free pass", async () => {
    for (const [what, left] of [
      ["hold", 1],
      ["spend", 0],
    ] as const) {
      const state = join(temporaryDirectory(), "state");
      const store = temporaryStore(state);
      const { budget } = { budget: { store, clock: systemClock, kind: "action", key: KEY, limit: { max: 1, perMs: 3_600_000 }, runId: null } as const };
      const holder = startProgram("reserve-and-wait", state, what);
      await once(holder.stdout, "data");
      expect(reserve(budget)).toBeNull();
      const closed = once(holder, "close");
      holder.kill("SIGKILL");
      await closed;
      expect(actionsLeft(budget)).toBe(left);
    }
  });
});

test("the state survives a restart", () => {
  const state = join(temporaryDirectory(), "state");
  const first = openStore(state);
  const { budget, clock } = budgetOf(1, 1_000, first);
  spend(budget, take(budget));
  first.close();
  expect(actionsLeft(budgetOf(1, 1_000, temporaryStore(state), clock).budget)).toBe(0);
});
