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
