import { AgentError } from "../base/errors.ts";
import type { Environment } from "./connection.ts";
import type { Usage } from "./provider.ts";
import type { ModelName } from "./select-model.ts";

/** US dollars for a million tokens. */
export type Price = { readonly inputUsd: number; readonly outputUsd: number };

const FREE: Price = { inputUsd: 0, outputUsd: 0 };
const PRICE_VARIABLE = "WARDER_PRICE";

/**
 * What a model's tokens cost, or null when nobody said. Prices change and depend on contracts, so none is built in:
 * the person states it as WARDER_PRICE=INPUT/OUTPUT. A script and a local Ollama are free. Throws `bad-configuration`
 * for a price that cannot be read.
 */
export function priceOf(model: ModelName, env: Environment): Price | null {
  if (model.provider === "scripted") return FREE;
  const text = env[PRICE_VARIABLE]?.trim() ?? "";
  if (text === "") return model.provider === "ollama" ? FREE : null;
  const match = /^(\d{1,6}(?:\.\d{1,6})?)\/(\d{1,6}(?:\.\d{1,6})?)$/u.exec(text);
  if (!match) throw new AgentError("bad-configuration", `${PRICE_VARIABLE} must be INPUT/OUTPUT in US dollars for a million tokens, for example 3/15.`);
  return { inputUsd: Number(match[1]), outputUsd: Number(match[2]) };
}

/** What to do when a policy limits cost and the price is not known. */
export function unknownPrice(model: ModelName): AgentError {
  return new AgentError(
    "bad-configuration",
    `The policy limits cost, and the price of ${model.provider}:${model.name} is not known. Set ${PRICE_VARIABLE}=INPUT/OUTPUT, in US dollars for a million tokens.`,
  );
}

/**
 * The cost of an answer in millionths of a US dollar, rounded up. Cached tokens count in full: what a provider takes
 * off for them is not known here, and a limit must not be exceeded by optimism.
 */
export function costInMicroUsd(usage: Usage, price: Price): number {
  return Math.ceil(usage.inputTokens * price.inputUsd + usage.outputTokens * price.outputUsd);
}
