import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { priceFile, readPriceFile } from "../../src/config/prices.ts";
import { temporaryDirectory } from "../support/temporary-store.ts";

function read(...lines: readonly string[]) {
  const state = temporaryDirectory();
  writeFileSync(priceFile(state), `${lines.join("\n")}\n`);
  return readPriceFile(state);
}

test("a person's prices, with what a cache held at the full price where nothing else is said", () => {
  const prices = read(
    "openai:house-model: { input: 2, output: 8 }",
    "google:other: { input: 1, cached: 0.1, output: 4, max-output: 8000, long: { over: 100000, input: 2, output: 8 } }",
  );
  expect(prices).toEqual({
    "openai:house-model": { inputUsd: 2, cachedUsd: 2, outputUsd: 8 },
    "google:other": {
      inputUsd: 1,
      cachedUsd: 0.1,
      outputUsd: 4,
      maxOutputTokens: 8000,
      long: { over: 100_000, inputUsd: 2, cachedUsd: 2, outputUsd: 8 },
    },
  });
});

test("no file is no prices", () => {
  expect(readPriceFile(join(temporaryDirectory(), "none"))).toEqual({});
});

test.each([
  ["an unknown key", ["openai:a: { input: 1, output: 2 }", "openai:b: { input: 1, output: 2, cache: 3 }"], ":2: openai:b"],
  ["a model without a provider", ["gpt: { input: 1, output: 2 }"], "PROVIDER:NAME"],
  ["a price below nothing", ["openai:a:", "  input: 1", '  output: "free"'], ":3: openai:a.output must be a number"],
  ["no YAML", ["openai:a: {"], "not valid YAML"],
])("%s is an error with its place, and no price is guessed", (_, lines, says) => {
  expect(() => read(...lines)).toThrow(expect.objectContaining({ code: "bad-configuration", message: expect.stringContaining(says) }));
});
