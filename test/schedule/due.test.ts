import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCron } from "../../src/schedule/cron.ts";
import { GRACE_MS, MAX_CATCH_UP, jitterOf, whatIsDue, type DueQuestion } from "../../src/schedule/due.ts";

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 5, 1);
const HOURLY = readCron("0 * * * *", "UTC");

const ask = (change: Partial<DueQuestion>): ReturnType<typeof whatIsDue> =>
  whatIsDue({ cron: HOURLY, name: "job", catchUp: "skip", jitterMs: 0, afterMs: START_MS, nowMs: START_MS, ...change });

describe("what is due", () => {
  test("nothing before its moment, and once at it", () => {
    expect(ask({ nowMs: START_MS + HOUR_MS - 1 })).toEqual({ at: null, missed: null });
    expect(ask({ nowMs: START_MS + HOUR_MS })).toEqual({ at: START_MS + HOUR_MS, missed: null });
    expect(ask({ afterMs: START_MS + HOUR_MS, nowMs: START_MS + HOUR_MS })).toEqual({ at: null, missed: null });
  });

  test("a clock that went back makes nothing due twice", () => {
    expect(ask({ afterMs: START_MS + 5 * HOUR_MS, nowMs: START_MS + HOUR_MS })).toEqual({ at: null, missed: null });
    expect(ask({ afterMs: START_MS + 5 * HOUR_MS, nowMs: START_MS + 5 * HOUR_MS + 1, catchUp: "all" })).toEqual({ at: null, missed: null });
  });

  const late = START_MS + 5 * HOUR_MS + GRACE_MS + 1;
  test("skip gives up what is late, and meets what is not", () => {
    expect(ask({ nowMs: late })).toEqual({ at: null, missed: START_MS + 5 * HOUR_MS });
    expect(ask({ nowMs: late - 1 })).toEqual({ at: START_MS + 5 * HOUR_MS, missed: START_MS + 4 * HOUR_MS });
  });

  test("once makes up for the last one", () => {
    expect(ask({ catchUp: "once", nowMs: late })).toEqual({ at: START_MS + 5 * HOUR_MS, missed: START_MS + 4 * HOUR_MS });
    expect(ask({ catchUp: "once", nowMs: START_MS + HOUR_MS + 1 })).toEqual({ at: START_MS + HOUR_MS, missed: null });
  });

  test("all makes up for each in turn, from the first", () => {
    const ran: number[] = [];
    for (let afterMs = START_MS, due = ask({ catchUp: "all", afterMs, nowMs: late }); due.at !== null; due = ask({ catchUp: "all", afterMs, nowMs: late })) {
      expect(due.missed).toBeNull();
      ran.push(due.at);
      afterMs = due.at;
    }
    expect(ran).toEqual([1, 2, 3, 4, 5].map((hours) => START_MS + hours * HOUR_MS));
  });

  test("a clock that jumped ten years ahead is caught up with, boundedly", () => {
    const nowMs = START_MS + 10 * 366 * 24 * HOUR_MS;
    const { at, missed } = ask({ cron: readCron("* * * * *", "UTC"), catchUp: "all", nowMs });
    expect(at).toBe(nowMs - (MAX_CATCH_UP - 1) * 60_000);
    expect(missed).toBeLessThan(at ?? 0);
    const rare = ask({ cron: readCron("0 0 29 2 *", "UTC"), catchUp: "once", nowMs });
    expect(rare).toEqual({ at: Date.UTC(2036, 1, 29), missed: Date.UTC(2032, 1, 29) });
  });

  test("jitter puts a moment off, always by the same, and spreads jobs", () => {
    const put = jitterOf("job", START_MS + HOUR_MS, 600_000);
    expect(ask({ jitterMs: 600_000, nowMs: START_MS + HOUR_MS + put - 1 }).at).toBeNull();
    expect(ask({ jitterMs: 600_000, nowMs: START_MS + HOUR_MS + put }).at).toBe(START_MS + HOUR_MS);
    const spread = new Set(Array.from({ length: 100 }, (_, index) => Math.floor(jitterOf(`job-${index}`, START_MS, 600_000) / 60_000)));
    expect(spread.size).toBe(10);
  });
});

test("however late and irregularly it is asked, each moment is run for or given up, once and in order", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("skip" as const, "once" as const, "all" as const),
      fc.constantFrom("*/10 * * * *", "0 * * * *", "30 2 * * *"),
      fc.integer({ min: 0, max: 500_000 }),
      fc.array(fc.integer({ min: -HOUR_MS, max: 9 * HOUR_MS }), { minLength: 1, maxLength: 6 }),
      (catchUp, expression, jitterMs, steps) => {
        const cron = readCron(expression, "Europe/Berlin");
        let [afterMs, nowMs] = [START_MS, START_MS];
        for (const step of steps) {
          nowMs += step;
          for (let due = whatIsDue({ cron, name: "job", catchUp, jitterMs, afterMs, nowMs }); due.at !== null || due.missed !== null;) {
            const dealt = due.at ?? due.missed ?? 0;
            expect(dealt).toBeGreaterThan(afterMs);
            expect(dealt).toBeLessThanOrEqual(nowMs);
            expect(due.missed ?? Number.POSITIVE_INFINITY).toBeGreaterThan(afterMs);
            expect(due.missed ?? 0).toBeLessThan(due.at ?? Number.POSITIVE_INFINITY);
            // What is neither met nor given up is never passed over: with `all` nothing lies between.
            expect(catchUp === "all" && due.missed === null ? due.at : cron.next(afterMs)).toBe(cron.next(afterMs));
            afterMs = dealt;
            due = whatIsDue({ cron, name: "job", catchUp, jitterMs, afterMs, nowMs });
          }
        }
      },
    ),
    { numRuns: 40 },
  );
});
