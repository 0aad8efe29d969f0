import { AgentError } from "../base/errors.ts";
import type { ModelName } from "./contract/model-name.ts";
import type { ConnectOptions, Environment } from "./vendors/connection.ts";
import type { ModelProvider } from "./contract/provider.ts";
import type { LineFinder } from "./scripted/script.ts";

export type ModelSources = ConnectOptions & {
  readonly env: Environment;
  /** Reads a script file as plain data. Only asked for `scripted:FILE`. */
  readonly readScript: (file: string) => Promise<{ readonly value: unknown; readonly lineOf?: LineFinder }>;
};

/** How long a server that has another behind it is waited for. */
const PATIENCE_MS = 10_000;

/** Connects to each of the models, the first one first. Throws as {@link selectModel}; then none is left open. */
export async function selectModels(models: readonly ModelName[], sources: ModelSources): Promise<readonly [ModelProvider, ...ModelProvider[]]> {
  const open: ModelProvider[] = [];
  try {
    for (const [index, model] of models.entries())
      open.push(await selectModel(model, index === models.length - 1 ? sources : { ...sources, maxPauseMs: PATIENCE_MS }));
  } catch (error) {
    await Promise.all(open.map((model) => model.close()));
    throw error;
  }
  const [first, ...others] = open;
  if (first === undefined) throw new AgentError("broken-invariant", "No model was named.");
  return [first, ...others];
}

/**
 * Connects to the chosen model; only the chosen provider's package is loaded. Throws `bad-configuration` that names the
 * variable when a key is missing, or the place in the script when it is not well formed.
 */
export async function selectModel(model: ModelName, sources: ModelSources): Promise<ModelProvider> {
  const { env, readScript, ...options } = sources;
  switch (model.provider) {
    case "anthropic":
      return (await import("./vendors/anthropic.ts")).connectAnthropic(model.name, env, options);
    case "openai":
      return (await import("./vendors/openai.ts")).connectOpenai(model.name, env, options);
    case "google":
      return (await import("./vendors/google.ts")).connectGoogle(model.name, env, options);
    case "ollama":
      return (await import("./vendors/openai-compatible.ts")).connectOllama(model.name, env, options);
    case "openai-compatible":
      return (await import("./vendors/openai-compatible.ts")).connectOpenaiCompatible(model.name, env, options);
    case "scripted": {
      const { value, lineOf } = await readScript(model.name);
      const [{ parseScript }, { startScriptedProvider }] = await Promise.all([import("./scripted/script.ts"), import("./scripted/provider.ts")]);
      return startScriptedProvider(parseScript(value, model.name, lineOf));
    }
  }
}
