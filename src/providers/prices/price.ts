import type { Usage } from "../contract/provider.ts";

/** US dollars for a million tokens. `inputUsd`: of what no cache held, with what it costs to put it into one. */
export type Rates = { readonly inputUsd: number; readonly cachedUsd: number; readonly outputUsd: number };

export type Price = Rates & {
  /** The longest answer that the model gives; absent: not known. */
  readonly maxOutputTokens?: number;
  /** How many tokens a request and its answer have at most; absent: not known. Where sources differ, the least. */
  readonly contextTokens?: number;
  /** Other rates for a whole answer to a request of more tokens than `over`. */
  readonly long?: Rates & { readonly over: number };
};

/** The rates for an answer to a request of so many tokens. */
export function ratesFor(price: Price, inputTokens: number): Rates {
  return price.long !== undefined && inputTokens > price.long.over ? price.long : price;
}

/** The cost of an answer in millionths of a US dollar, rounded up. */
export function costInMicroUsd(usage: Usage, price: Price): number {
  const { inputUsd, cachedUsd, outputUsd } = ratesFor(price, usage.inputTokens);
  const cached = Math.min(usage.cachedInputTokens, usage.inputTokens);
  return Math.ceil((usage.inputTokens - cached) * inputUsd + cached * cachedUsd + usage.outputTokens * outputUsd);
}
