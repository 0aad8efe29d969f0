import { closeSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AgentError } from "../base/errors.ts";
import { renderDiagnostics } from "../policy/text/diagnostic.ts";
import { readYaml } from "../policy/text/yaml.ts";
import { PROVIDER_NAMES } from "../providers/contract/model-name.ts";
import type { Price } from "../providers/prices/price.ts";
import { openRegular } from "../store/files/regular-file.ts";

const usd = z.number("must be a number").min(0, "must not be negative").max(1_000_000, "must be at most 1000000");
const rates = { input: usd, cached: usd.optional(), output: usd };
const tokens = z.int("must be a whole number").min(1, "must be at least 1").max(100_000_000, "must be at most 100000000");

const model = z.string().refine((name) => PROVIDER_NAMES.some((provider) => name.startsWith(`${provider}:`) && name.length > provider.length + 1));

const priceFileSchema = z.record(
  model,
  z.strictObject({ ...rates, "max-output": tokens.optional(), context: tokens.optional(), long: z.strictObject({ over: tokens, ...rates }).optional() }),
);

/** Where a person keeps their own prices: beside the state, which no run can write. */
export function priceFile(stateDirectory: string): string {
  return join(stateDirectory, "prices.yaml");
}

/** A person's own prices by `PROVIDER:NAME`; none if there is no file. Throws `bad-configuration` with the line of a mistake: no price is guessed. */
export function readPriceFile(stateDirectory: string): Readonly<Record<string, Price>> {
  const path = priceFile(stateDirectory);
  const source = textOf(path);
  if (source === null) return {};
  const reading = readYaml(path, source);
  if ("diagnostics" in reading) throw new AgentError("bad-configuration", renderDiagnostics(reading.diagnostics, new Map([[path, source]])));
  const read = readPrices(reading.text.value);
  if ("prices" in read) return read.prices;
  const { line } = reading.text.at(read.path);
  throw new AgentError("bad-configuration", `${path}:${line}: ${read.path.map(String).join(".")} ${read.problem}.`);
}

function textOf(path: string): string | null {
  try {
    const file = openRegular(path, "read", "bad-configuration");
    try {
      return readFileSync(file, "utf8");
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new AgentError("bad-configuration", `The prices in ${path} cannot be read: ${error instanceof Error ? error.message : "unknown fault"}.`, {
      cause: error,
    });
  }
}

/** Reads the table, or says what is wrong and where. */
function readPrices(
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

function priceFrom({ "max-output": maxOutputTokens, context: contextTokens, long, ...own }: Entry): Price {
  return {
    ...ratesFrom(own),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(long === undefined ? {} : { long: { over: long.over, ...ratesFrom(long) } }),
  };
}

// What a cache held costs in full where nobody says what it costs.
function ratesFrom({ input, cached, output }: Pick<Entry, "input" | "cached" | "output">) {
  return { inputUsd: input, cachedUsd: cached ?? input, outputUsd: output };
}
