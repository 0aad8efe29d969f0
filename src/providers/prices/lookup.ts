import { AgentError } from "../../base/errors.ts";
import type { ModelName } from "../contract/model-name.ts";
import type { Environment } from "../vendors/connection.ts";
import type { Price } from "./price.ts";
import { PRICE_TABLE } from "./table.ts";

const FREE: Price = { inputUsd: 0, cachedUsd: 0, outputUsd: 0 };
const PRICE_VARIABLE = "WARDER_PRICE";
/** A snapshot of a model: `-20250929`, `-2025-04-14`, `-latest`. Another suffix is another model. */
const SNAPSHOT = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/u;

/**
 * What a model's tokens cost, or null when nobody said. The first that speaks counts: WARDER_PRICE=INPUT/OUTPUT, the person's own table (`own`, by
 * `PROVIDER:NAME`), the table that Warder brings along. A script and a local Ollama are free. Throws `bad-configuration` for a WARDER_PRICE that
 * cannot be read.
 */
export function priceOf(model: ModelName, env: Environment, own: Readonly<Record<string, Price>> = {}): Price | null {
  if (model.provider === "scripted") return FREE;
  const text = env[PRICE_VARIABLE]?.trim() ?? "";
  if (text !== "") return statedPrice(text);
  const name = `${model.provider}:${model.name}`;
  const found = [own, PRICE_TABLE].map((table) => ownEntry(table, name) ?? ownEntry(table, name.replace(SNAPSHOT, ""))).find((price) => price !== null);
  return found ?? (model.provider === "ollama" ? FREE : null);
}

function ownEntry(table: Readonly<Record<string, Price>>, name: string): Price | null {
  return Object.hasOwn(table, name) ? (table[name] ?? null) : null;
}

// Cached tokens count in full: nobody said what they cost, and a limit must not be exceeded by optimism.
function statedPrice(text: string): Price {
  const match = /^(\d{1,6}(?:\.\d{1,6})?)\/(\d{1,6}(?:\.\d{1,6})?)$/u.exec(text);
  if (!match) throw new AgentError("bad-configuration", `${PRICE_VARIABLE} must be INPUT/OUTPUT in US dollars for a million tokens, for example 3/15.`);
  return { inputUsd: Number(match[1]), cachedUsd: Number(match[1]), outputUsd: Number(match[2]) };
}

/** What to do when a policy limits cost and the price is not known. */
export function unknownPrice(model: ModelName, priceFile: string): AgentError {
  return new AgentError(
    "bad-configuration",
    `The policy limits cost, and the price of ${model.provider}:${model.name} is not known, which counts as too much. Write it into ${priceFile} (warder budgets --help shows how), or set ${PRICE_VARIABLE}=INPUT/OUTPUT, in US dollars for a million tokens.`,
  );
}
