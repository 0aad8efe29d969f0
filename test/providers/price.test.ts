import { expect, test } from "vitest";
import { costInMicroUsd, priceOf } from "../../src/providers/price.ts";

const usage = { inputTokens: 1000, outputTokens: 100, cachedInputTokens: 900, isEstimated: false };

test("the price is what the person states", () => {
  expect(priceOf({ provider: "anthropic", name: "x" }, { WARDER_PRICE: "3/15" })).toEqual({ inputUsd: 3, outputUsd: 15 });
  expect(priceOf({ provider: "ollama", name: "x" }, { WARDER_PRICE: "0.5/1.25" })).toEqual({ inputUsd: 0.5, outputUsd: 1.25 });
});

test("nobody's statement is no price, except for what is free", () => {
  expect(priceOf({ provider: "anthropic", name: "x" }, {})).toBeNull();
  expect(priceOf({ provider: "openai-compatible", name: "x" }, { WARDER_PRICE: " " })).toBeNull();
  expect(priceOf({ provider: "ollama", name: "x" }, {})).toEqual({ inputUsd: 0, outputUsd: 0 });
  expect(priceOf({ provider: "scripted", name: "x" }, { WARDER_PRICE: "3/15" })).toEqual({ inputUsd: 0, outputUsd: 0 });
});

test.each([["3"], ["3/"], ["-3/15"], ["3/15/1"], ["1e3/2"], ["free"]])("refuses %j as a price", (text) => {
  expect(() => priceOf({ provider: "openai", name: "x" }, { WARDER_PRICE: text })).toThrow(
    expect.objectContaining({ code: "bad-configuration", message: expect.stringContaining("WARDER_PRICE") }),
  );
});

test("an answer costs its tokens, cached ones in full, rounded up", () => {
  expect(costInMicroUsd(usage, { inputUsd: 3, outputUsd: 15 })).toBe(4500);
  expect(costInMicroUsd({ ...usage, inputTokens: 1, outputTokens: 0 }, { inputUsd: 0.1, outputUsd: 0 })).toBe(1);
});
