import type { Usage } from "../../providers/contract/provider.ts";
import { costInMicroUsd, type Price } from "../../providers/prices/price.ts";

/** What one model answered in a run. `usd` null: its price is not known. */
export type ModelShare = { readonly model: string; readonly turns: number; readonly tokens: number; readonly usd: number | null };

/** What each model answered and cost, in the order of their first words. A price may depend on a request's length, so each answer is counted by itself. */
export function sharesOf(
  answers: readonly { readonly model: string; readonly usage: Usage }[],
  priceOf: (model: string) => Price | null,
): readonly ModelShare[] {
  const shares = new Map<string, { turns: number; tokens: number; microUsd: number | null }>();
  for (const { model, usage } of answers) {
    const price = priceOf(model);
    const before = shares.get(model) ?? { turns: 0, tokens: 0, microUsd: 0 };
    shares.set(model, {
      turns: before.turns + 1,
      tokens: before.tokens + usage.inputTokens + usage.outputTokens,
      microUsd: price === null || before.microUsd === null ? null : before.microUsd + costInMicroUsd(usage, price),
    });
  }
  return [...shares].map(([model, { turns, tokens, microUsd }]) => ({ model, turns, tokens, usd: microUsd === null ? null : microUsd / 1_000_000 }));
}

/** What all of them cost; null where the price of one is not known. */
export function totalUsd(shares: readonly ModelShare[]): number | null {
  return shares.reduce<number | null>((sum, { usd }) => (sum === null || usd === null ? null : sum + usd), 0);
}
