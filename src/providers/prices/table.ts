import type { Price, Rates } from "./price.ts";

/**
 * List prices of well-known models, US dollars for a million tokens, standard tier, as of November 2026. Sources, and what was done where they
 * differ: docs/guides/budgets.md. A model that is not here has no price until a person states one.
 */
export const PRICE_TABLE: Readonly<Record<string, Price>> = {
  "anthropic:claude-opus-5": { ...claude(5, 25), contextTokens: 1_000_000 },
  "anthropic:claude-opus-4-8": claude(5, 25),
  "anthropic:claude-opus-4-7": claude(5, 25),
  "anthropic:claude-opus-4-6": claude(5, 25),
  "anthropic:claude-opus-4-5": claude(5, 25),
  "anthropic:claude-opus-4-1": claude(15, 75, 32_000),
  "anthropic:claude-sonnet-5": { ...claude(2, 10), contextTokens: 1_000_000 },
  "anthropic:claude-sonnet-4-6": claude(3, 15),
  "anthropic:claude-sonnet-4-5": { ...claude(3, 15), long: { over: 200_000, ...claude(6, 22.5) } },
  "anthropic:claude-haiku-4-5": claude(1, 5),
  "openai:gpt-5.6-sol": gpt56(5, 30),
  "openai:gpt-5.6-terra": gpt56(2, 12),
  "openai:gpt-5.6-luna": { ...rates(0.25, 0.02, 1.2), maxOutputTokens: 128_000, long: { over: 200_000, ...rates(0.5, 0.04, 1.8) } },
  "openai:gpt-5.5": { ...rates(5, 0.5, 30), maxOutputTokens: 128_000, contextTokens: 1_050_000, long: { over: 272_000, ...rates(10, 1, 45) } },
  "openai:gpt-5.4": { ...rates(2.5, 0.25, 15), maxOutputTokens: 128_000, contextTokens: 1_050_000, long: { over: 272_000, ...rates(5, 0.5, 22.5) } },
  "openai:gpt-5.4-mini": { ...rates(0.75, 0.075, 4.5), maxOutputTokens: 128_000, contextTokens: 400_000 },
  "openai:gpt-5.4-nano": { ...rates(0.2, 0.02, 1.25), maxOutputTokens: 128_000, contextTokens: 400_000 },
  "openai:gpt-5.3-codex": { ...rates(1.75, 0.175, 14), maxOutputTokens: 128_000, contextTokens: 400_000 },
  "openai:gpt-5.2": { ...rates(1.75, 0.175, 14), maxOutputTokens: 128_000, contextTokens: 400_000 },
  "openai:gpt-5.1": { ...rates(1.25, 0.125, 10), maxOutputTokens: 128_000, contextTokens: 400_000 },
  "openai:gpt-5": { ...rates(1.25, 0.125, 10), maxOutputTokens: 128_000, contextTokens: 400_000 },
  "openai:gpt-5-mini": { ...rates(0.25, 0.025, 2), maxOutputTokens: 128_000, contextTokens: 400_000 },
  "openai:gpt-5-nano": { ...rates(0.05, 0.005, 0.4), maxOutputTokens: 128_000, contextTokens: 400_000 },
  "openai:gpt-4.1": { ...rates(2, 0.5, 8), maxOutputTokens: 32_000, contextTokens: 1_047_576 },
  "google:gemini-3.5-flash": { ...rates(1.5, 0.15, 9), maxOutputTokens: 64_000, contextTokens: 1_048_576 },
  "google:gemini-3.1-pro-preview": { ...rates(2, 0.2, 12), maxOutputTokens: 64_000, contextTokens: 1_048_576, long: { over: 200_000, ...rates(4, 0.4, 18) } },
  "google:gemini-3-flash-preview": { ...rates(0.5, 0.05, 3), maxOutputTokens: 64_000, contextTokens: 1_048_576 },
  "google:gemini-3.1-flash-lite": { ...rates(0.25, 0.25, 1.5), maxOutputTokens: 64_000, contextTokens: 1_048_576 },
  "google:gemini-2.5-pro": { ...rates(1.25, 0.125, 10), maxOutputTokens: 64_000, contextTokens: 1_048_576, long: { over: 200_000, ...rates(2.5, 0.25, 15) } },
  "google:gemini-2.5-flash": { ...rates(0.3, 0.03, 2.5), maxOutputTokens: 64_000, contextTokens: 1_048_576 },
  "google:gemini-2.5-flash-lite": { ...rates(0.1, 0.01, 0.4), maxOutputTokens: 64_000, contextTokens: 1_048_576 },
};

function rates(inputUsd: number, cachedUsd: number, outputUsd: number): Rates {
  return { inputUsd, cachedUsd, outputUsd };
}

// What no cache held is written to one, at a quarter more; what one held costs a tenth.
function claude(inputUsd: number, outputUsd: number, maxOutputTokens = 64_000): Price {
  return { inputUsd: inputUsd * 1.25, cachedUsd: inputUsd / 10, outputUsd, maxOutputTokens, contextTokens: 200_000 };
}

// Writes to the cache cost a quarter more here too, and long requests twice as much to read and half as much again to answer.
function gpt56(inputUsd: number, outputUsd: number): Price {
  const long = { over: 272_000, ...rates(inputUsd * 2.5, inputUsd / 5, outputUsd * 1.5) };
  return { ...rates(inputUsd * 1.25, inputUsd / 10, outputUsd), maxOutputTokens: 128_000, long };
}
