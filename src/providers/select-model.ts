import type { ModelName } from "./contract/model-name.ts";
import type { Environment, Fetch } from "./vendors/connection.ts";
import type { ModelProvider } from "./contract/provider.ts";
import type { LineFinder } from "./scripted/script.ts";

export type ModelSources = {
  readonly env: Environment;
  /** Reads a script file as plain data. Only asked for `scripted:FILE`. */
  readonly readScript: (file: string) => Promise<{ readonly value: unknown; readonly lineOf?: LineFinder }>;
  /** For tests and for egress control. */
  readonly fetch?: Fetch;
};

/**
 * Connects to the chosen model; only the chosen provider's package is loaded. Throws `bad-configuration` that names the
 * variable when a key is missing, or the place in the script when it is not well formed.
 */
export async function selectModel(model: ModelName, sources: ModelSources): Promise<ModelProvider> {
  const { env, fetch } = sources;
  switch (model.provider) {
    case "anthropic":
      return (await import("./vendors/anthropic.ts")).connectAnthropic(model.name, env, fetch);
    case "openai":
      return (await import("./vendors/openai.ts")).connectOpenai(model.name, env, fetch);
    case "google":
      return (await import("./vendors/google.ts")).connectGoogle(model.name, env, fetch);
    case "ollama":
      return (await import("./vendors/openai-compatible.ts")).connectOllama(model.name, env, fetch);
    case "openai-compatible":
      return (await import("./vendors/openai-compatible.ts")).connectOpenaiCompatible(model.name, env, fetch);
    case "scripted": {
      const { value, lineOf } = await sources.readScript(model.name);
      const [{ parseScript }, { startScriptedProvider }] = await Promise.all([import("./scripted/script.ts"), import("./scripted/provider.ts")]);
      return startScriptedProvider(parseScript(value, model.name, lineOf));
    }
  }
}
