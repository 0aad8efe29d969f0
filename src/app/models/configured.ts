import { readPriceFile } from "../../config/prices.ts";
import { AgentError } from "../../base/errors.ts";
import { withScriptFrom } from "../../config/script-file.ts";
import { readSettings } from "../../config/settings-file.ts";
import { stateDirectory } from "../../config/state/directory.ts";
import type { KeySource } from "../../config/model-settings.ts";
import { parseModelName, parseModelNames, PROVIDER_NAMES, type ProviderName } from "../../providers/contract/model-name.ts";
import { priceOf } from "../../providers/prices/lookup.ts";
import type { Price } from "../../providers/prices/price.ts";
import { keySourceOf, KEY_VARIABLES } from "./keys.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A model that is configured on this machine. */
export type ConfiguredModel = {
  readonly model: string;
  /** `main`: asked first; `fallback`: asked when those before it cannot answer; `small`: for summaries. */
  readonly use: "main" | "fallback" | "small";
  /** Null: not known. */
  readonly contextTokens: number | null;
  readonly price: Pick<Price, "inputUsd" | "cachedUsd" | "outputUsd"> | null;
  /** Where its key comes from, never the key; null: none is configured, or none is needed. */
  readonly key: KeySource | null;
  readonly needsKey: boolean;
};

/** The models of a run for which nobody names any, as `--model` takes them: WARDER_MODEL, else the settings; null: there are none. */
export function defaultModels(environment: Environment): string | null {
  const named = environment["WARDER_MODEL"]?.trim() ?? "";
  if (named !== "") return named;
  const { main } = readSettings(stateDirectory(environment)).models;
  return main.length === 0 ? null : main.join(",");
}

/** The models of a run that begins: those that a person named for it, else {@link defaultModels}. Throws `usage` where nobody named any. */
export function modelsOfNewRun(named: string | undefined): string {
  const models = named ?? defaultModels(process.env) ?? "";
  if (models !== "") return withScriptFrom(process.cwd(), models);
  throw new AgentError("usage", "A model is needed, and neither --model nor WARDER_MODEL nor the settings name one.", {
    remedy: `Add --model PROVIDER:NAME, where PROVIDER is one of ${PROVIDER_NAMES.join(", ")}.`,
  });
}

/** What is configured. Throws `bad-configuration` for settings or prices that cannot be read, `usage` for a WARDER_MODEL that names none. */
export function configuredModels(environment: Environment): readonly ConfiguredModel[] {
  const state = stateDirectory(environment);
  const settings = readSettings(state).models;
  const own = readPriceFile(state);
  const of = (model: string, use: ConfiguredModel["use"]): ConfiguredModel => {
    const name = parseModelName(model);
    const price = priceOf(name, environment, own);
    return {
      model,
      use,
      contextTokens: price?.contextTokens ?? null,
      price: price === null ? null : { inputUsd: price.inputUsd, cachedUsd: price.cachedUsd, outputUsd: price.outputUsd },
      key: keySourceOf(name.provider, { settings, environment }),
      needsKey: needsKey(name.provider),
    };
  };
  const named = defaultModels(environment);
  const main = named === null ? [] : parseModelNames(named).map(({ provider, name }) => `${provider}:${name}`);
  return [...main.map((model, index) => of(model, index === 0 ? "main" : "fallback")), ...(settings.small === null ? [] : [of(settings.small, "small")])];
}

function needsKey(provider: ProviderName): boolean {
  return KEY_VARIABLES[provider] !== null && provider !== "ollama" && provider !== "openai-compatible";
}
