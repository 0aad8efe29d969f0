import { expect, test } from "vitest";
import { PRICE_TABLE } from "../../../src/providers/prices/table.ts";
import { priceOf } from "../../../src/providers/prices/lookup.ts";
import { costInMicroUsd, type Price } from "../../../src/providers/prices/price.ts";

const usage = { inputTokens: 1000, outputTokens: 100, cachedInputTokens: 900, isEstimated: false };

test("the price is what the person states", () => {
  expect(priceOf({ provider: "anthropic", name: "x" }, { WARDER_PRICE: "3/15" })).toEqual({ inputUsd: 3, cachedUsd: 3, outputUsd: 15 });
  expect(priceOf({ provider: "ollama", name: "x" }, { WARDER_PRICE: "0.5/1.25" })).toEqual({ inputUsd: 0.5, cachedUsd: 0.5, outputUsd: 1.25 });
});

test("nobody's statement is no price, except for what is free", () => {
  expect(priceOf({ provider: "anthropic", name: "x" }, {})).toBeNull();
  expect(priceOf({ provider: "openai-compatible", name: "x" }, { WARDER_PRICE: " " })).toBeNull();
  expect(priceOf({ provider: "ollama", name: "x" }, {})).toEqual({ inputUsd: 0, cachedUsd: 0, outputUsd: 0 });
  expect(priceOf({ provider: "scripted", name: "x" }, { WARDER_PRICE: "3/15" })).toEqual({ inputUsd: 0, cachedUsd: 0, outputUsd: 0 });
});

test.each([["3"], ["3/"], ["-3/15"], ["3/15/1"], ["1e3/2"], ["free"]])("refuses %j as a price", (text) => {
  expect(() => priceOf({ provider: "openai", name: "x" }, { WARDER_PRICE: text })).toThrow(
    expect.objectContaining({ code: "bad-configuration", message: expect.stringContaining("WARDER_PRICE") }),
  );
});

const opus: Price = { inputUsd: 6.25, cachedUsd: 0.5, outputUsd: 25, long: { over: 2000, inputUsd: 12.5, cachedUsd: 1, outputUsd: 50 } };

test("an answer costs its tokens, those from a cache by themselves, rounded up", () => {
  expect(costInMicroUsd(usage, opus)).toBe(100 * 6.25 + 900 * 0.5 + 100 * 25);
  expect(costInMicroUsd({ ...usage, inputTokens: 1, cachedInputTokens: 0, outputTokens: 0 }, { inputUsd: 0.1, cachedUsd: 0, outputUsd: 0 })).toBe(1);
});

test("an answer to a long request costs its own rates, all of it", () => {
  const long = { ...usage, inputTokens: 2001, cachedInputTokens: 1 };
  expect(costInMicroUsd(long, opus)).toBe(2000 * 12.5 + 1 + 100 * 50);
  expect(costInMicroUsd({ ...long, inputTokens: 2000 }, opus)).toBe(Math.ceil(1999 * 6.25 + 0.5 + 100 * 25));
});

test("more from a cache than was read is no discount", () => {
  expect(costInMicroUsd({ ...usage, inputTokens: 10, outputTokens: 0, cachedInputTokens: 1_000_000 }, opus)).toBe(5);
});

test.each([
  ["anthropic", "claude-sonnet-4-5", true],
  ["anthropic", "claude-sonnet-4-5-20250929", true],
  ["anthropic", "claude-haiku-4-5-latest", true],
  ["openai", "gpt-4.1-2025-04-14", true],
  ["openai", "gpt-5-pro", false],
  ["openai", "gpt-5-mini-2025", false],
  ["google", "claude-sonnet-4-5", false],
  ["openai-compatible", "gpt-5", false],
  ["openai", "constructor", false],
] as const)("%s:%s is in the table: %s", (provider, name, isKnown) => {
  expect(priceOf({ provider, name }, {}) !== null).toBe(isKnown);
});

test("a person's own table counts before the one that Warder brings, and WARDER_PRICE before both", () => {
  const own = { "openai:gpt-5": opus, "ollama:big": opus };
  expect(priceOf({ provider: "openai", name: "gpt-5" }, {}, own)).toBe(opus);
  expect(priceOf({ provider: "openai", name: "gpt-5-2025-08-07" }, {}, own)).toBe(opus);
  expect(priceOf({ provider: "ollama", name: "big" }, {}, own)).toBe(opus);
  expect(priceOf({ provider: "openai", name: "gpt-5" }, { WARDER_PRICE: "1/2" }, own)).toMatchObject({ inputUsd: 1, outputUsd: 2 });
});

test("no entry of the table is free, or cheaper to write than to read", () => {
  expect(Object.keys(PRICE_TABLE).length).toBeGreaterThan(25);
  for (const [name, { inputUsd, cachedUsd, outputUsd, maxOutputTokens, long }] of Object.entries(PRICE_TABLE)) {
    expect([name, inputUsd > 0, cachedUsd > 0 && cachedUsd <= inputUsd, outputUsd >= inputUsd, (maxOutputTokens ?? 0) > 0]).toEqual([
      name,
      true,
      true,
      true,
      true,
    ]);
    expect([name, (long?.inputUsd ?? inputUsd) >= inputUsd, (long?.outputUsd ?? outputUsd) >= outputUsd]).toEqual([name, true, true]);
  }
});
