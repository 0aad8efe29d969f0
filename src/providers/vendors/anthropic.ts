import { createAnthropic } from "@ai-sdk/anthropic";
import { type ConnectOptions, type Environment, guardedFetch, readBaseUrl, requireVariable } from "./connection.ts";
import { createLanguageModelProvider } from "../sdk/provider.ts";
import type { ModelProvider } from "../contract/provider.ts";

/** Anthropic's Messages API with the key in ANTHROPIC_API_KEY; ANTHROPIC_BASE_URL replaces its address. */
export function connectAnthropic(model: string, env: Environment, { fetch, ...options }: ConnectOptions = {}): ModelProvider {
  const apiKey = requireVariable(env, "ANTHROPIC_API_KEY", "An Anthropic model needs a key.");
  const baseURL = readBaseUrl(env, "ANTHROPIC_BASE_URL", "https://api.anthropic.com/v1");
  const connection = createAnthropic({ apiKey, baseURL, fetch: guardedFetch(fetch) });
  return createLanguageModelProvider({
    ...options,
    id: `anthropic:${model}`,
    model: connection(model),
    dialect: { marksErrors: true, hasImagesInResults: true },
    secrets: [apiKey],
  });
}
