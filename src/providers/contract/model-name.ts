import { AgentError } from "../../base/errors.ts";

export const PROVIDER_NAMES = ["anthropic", "openai", "google", "ollama", "openai-compatible", "scripted"] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

export type ModelName = { readonly provider: ProviderName; /** The model, or the script file. */ readonly name: string };

/** `--model P:NAME` taken apart at its first colon. Throws `usage` for anything else. */
export function parseModelName(text: string): ModelName {
  const colon = text.indexOf(":");
  const provider = PROVIDER_NAMES.find((candidate) => candidate === text.slice(0, Math.max(colon, 0)));
  const name = text.slice(colon + 1);
  if (!provider || name === "")
    throw new AgentError("usage", `${JSON.stringify(text)} names no model.`, {
      remedy: `Write PROVIDER:NAME, where PROVIDER is one of ${PROVIDER_NAMES.join(", ")}.`,
    });
  return { provider, name };
}

/** More models than anybody waits for one after the other. */
const MAX_MODELS = 8;

/** Where one model's name ends and another's begins: a script's file may have commas. */
const NEXT_MODEL = new RegExp(`,\\s*(?=(?:${PROVIDER_NAMES.join("|")}):)`, "u");

/** The names in a list of models, each as it was written: nobody has looked whether it names one. */
export function modelsIn(text: string): readonly string[] {
  return text.split(NEXT_MODEL);
}

/** A list of models, as `P:NAME,P:NAME`: the first one, and those that answer when it cannot. Throws `usage` as {@link parseModelName}. */
export function parseModelNames(text: string): readonly ModelName[] {
  const names = modelsIn(text);
  if (new Set(names).size !== names.length) throw new AgentError("usage", `${JSON.stringify(text)} names a model twice.`);
  if (names.length > MAX_MODELS) throw new AgentError("usage", `${String(names.length)} models are named; a run tries ${String(MAX_MODELS)} at most.`);
  return names.map(parseModelName);
}
