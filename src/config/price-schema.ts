import { z } from "zod";
import type { Price } from "../providers/prices/price.ts";
import { PROVIDER_NAMES } from "../providers/contract/model-name.ts";

const usd = z.number("must be a number").min(0, "must not be negative").max(1_000_000, "must be at most 1000000");
const rates = { input: usd, cached: usd.optional(), output: usd };
const tokens = z.int("must be a whole number").min(1, "must be at least 1").max(100_000_000, "must be at most 100000000");

const model = z.string().refine((name) => PROVIDER_NAMES.some((provider) => name.startsWith(`${provider}:`) && name.length > provider.length + 1));

/** A person's own prices, US dollars for a million tokens, by `PROVIDER:NAME`. */
const priceFileSchema = z.record(
  model,
  z.strictObject({ ...rates, "max-output": tokens.optional(), long: z.strictObject({ over: tokens, ...rates }).optional() }),
);

/** Reads the table, or says what is wrong and where. */
export function readPrices(
  value: unknown,
): { readonly prices: Readonly<Record<string, Price>> } | { readonly path: readonly PropertyKey[]; readonly problem: string } {
  const read = priceFileSchema.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    return { path: issue?.path ?? [], problem: issue?.code === "invalid_key" ? "must be PROVIDER:NAME" : (issue?.message ?? "is no table of prices") };
  }
  return { prices: Object.fromEntries(Object.entries(read.data).map(([name, entry]) => [name, priceFrom(entry)])) };
}

type Entry = z.output<typeof priceFileSchema>[string];

function priceFrom({ "max-output": maxOutputTokens, long, ...own }: Entry): Price {
  return {
    ...ratesFrom(own),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(long === undefined ? {} : { long: { over: long.over, ...ratesFrom(long) } }),
  };
}

// What a cache held costs in full where nobody says what it costs.
function ratesFrom({ input, cached, output }: Pick<Entry, "input" | "cached" | "output">) {
  return { inputUsd: input, cachedUsd: cached ?? input, outputUsd: output };
}
