import { expect, test } from "vitest";
import { type Pricing, spendingMeter } from "../../../src/app/run/spending.ts";
import { left, reserve, type Budget, type BudgetWindow } from "../../../src/budgets/budget.ts";
import type { Price } from "../../../src/providers/prices/price.ts";
import type { ModelRequest } from "../../../src/providers/contract/provider.ts";
import { movableClock, temporaryStore } from "../../support/temporary-store.ts";

const DAY_MS = 86_400_000;
const PRICE: Price = { inputUsd: 3, cachedUsd: 0.3, outputUsd: 15, maxOutputTokens: 8_000 };
const request = (text: string): ModelRequest => ({ system: "s", messages: [{ kind: "user", text }], tools: [] });
const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(request(text)));
const window = (meter: "tokens" | "cost", max: number): BudgetWindow => ({
  account: "a",
  meter,
  max,
  perMs: DAY_MS,
  name: `limits.${meter} of test`,
  isSoft: false,
});

const pricing = (price: Price | null): Pricing => ({ all: price === null ? [] : [price], answered: () => price });

function meterOf(windows: readonly BudgetWindow[], price: Price | null = PRICE) {
  const budget: Budget = { store: temporaryStore(), clock: movableClock(), windows, runId: "run-1" };
  const meter = spendingMeter(budget, pricing(price));
  const ask = (text: string) => {
    const allowance = meter.reserve(request(text));
    if (allowance.kind === "spent") throw new Error(allowance.reason);
    return allowance;
  };
  return { budget, meter, ask };
}

test("what an answer may cost at most is taken first, and what it did not cost is given back", () => {
  const { budget, ask } = meterOf([window("cost", 1_000_000)]);
  const allowance = ask("hello");
  expect(allowance.maxOutputTokens).toBe(8_000);
  expect(left(budget, "cost")).toBe(1_000_000 - bytesOf("hello") * 3 - 8_000 * 15);
  allowance.settle({ inputTokens: 40, outputTokens: 10, cachedInputTokens: 20, isEstimated: false });
  expect(left(budget, "cost")).toBe(1_000_000 - (20 * 3 + 20 * 0.3 + 10 * 15));
});

test("where little is left the answer is kept as short as that", () => {
  const { ask, budget } = meterOf([window("cost", bytesOf("hello") * 3 + 1_000 * 15)]);
  expect(ask("hello").maxOutputTokens).toBe(1_000);
  expect(left(budget, "cost")).toBe(0);
});

test("where too little is left for an answer none is asked for, and nothing is taken", () => {
  const { meter, budget } = meterOf([window("cost", bytesOf("hello") * 3 + 255 * 15)]);
  expect(meter.reserve(request("hello"))).toEqual({ kind: "spent", reason: "Not enough is left of limits.cost of test for another answer." });
  expect(left(budget, "cost")).toBe(bytesOf("hello") * 3 + 255 * 15);
});

test("two runs at once never take what only one of them can have", () => {
  const { meter, ask, budget } = meterOf([window("cost", bytesOf("hello") * 3 + 8_000 * 15 + 100)]);
  ask("hello");
  const other = spendingMeter({ ...budget, runId: "run-2" }, pricing(PRICE));
  expect(other.reserve(request("hello")).kind).toBe("spent");
  expect(meter.reserve(request("hello")).kind).toBe("spent");
});

test("a long conversation is not taken at a token a byte again once its tokens are known", () => {
  const { ask, budget } = meterOf([window("tokens", 100_000)], null);
  const long = "word ".repeat(4_000);
  const first = ask(long);
  expect(first.maxOutputTokens).toBe(16_000);
  first.settle({ inputTokens: 5_000, outputTokens: 100, cachedInputTokens: 0, isEstimated: false });
  expect(left(budget, "tokens")).toBe(94_900);
  const before = left(budget, "tokens") ?? 0;
  ask(`${long}more`);
  expect(before - (left(budget, "tokens") ?? 0)).toBe(5_000 + 4 + 16_000);
});

test("a run's own tokens need no bound on the answer: what is under way may go beyond", () => {
  const { meter, budget } = meterOf([{ ...window("tokens", 10), perMs: null, isSoft: true }]);
  const allowance = meter.reserve(request("hello"));
  expect(allowance).toMatchObject({ kind: "reserved", maxOutputTokens: null });
  expect(left(budget, "tokens")).toBe(0);
  expect(meter.reserve(request("hello")).kind).toBe("spent");
  expect(reserve(budget, { cost: 1 }).kind).toBe("reserved");
});

test("an image counts as the most tokens that one has, not as its bytes", () => {
  const { meter, budget } = meterOf([window("tokens", 100_000)]);
  const image = { mediaType: "image/png" as const, base64: "A".repeat(1_000_000) };
  const allowance = meter.reserve({ ...request("hello"), messages: [{ kind: "user", text: "hello", images: [image, image] }] });
  expect(allowance.kind).toBe("reserved");
  expect(left(budget, "tokens")).toBeLessThan(100_000 - 24_000);
});

test("of several models the dearest is taken, and what the one that answered cost is paid", () => {
  const budget: Budget = { store: temporaryStore(), clock: movableClock(), windows: [window("cost", 1_000_000)], runId: "run-1" };
  const cheap: Price = { inputUsd: 1, cachedUsd: 1, outputUsd: 2, maxOutputTokens: 4_000 };
  const meter = spendingMeter(budget, { all: [cheap, PRICE], answered: () => cheap });
  const allowance = meter.reserve(request("hello"));
  if (allowance.kind === "spent") throw new Error(allowance.reason);
  // The shorter of their longest answers, at the higher of their prices.
  expect(allowance.maxOutputTokens).toBe(4_000);
  expect(left(budget, "cost")).toBe(1_000_000 - bytesOf("hello") * 3 - 4_000 * 15);
  allowance.settle({ inputTokens: 40, outputTokens: 10, cachedInputTokens: 0, isEstimated: false });
  expect(left(budget, "cost")).toBe(1_000_000 - 60);
});
