import { createOpenAI } from "@ai-sdk/openai";
import { type ConnectOptions, type Environment, guardedFetch, readBaseUrl, requireVariable } from "./connection.ts";
import { createLanguageModelProvider } from "../sdk/provider.ts";
import type { ModelProvider } from "../contract/provider.ts";

/** OpenAI's Responses API with the key in OPENAI_API_KEY; OPENAI_BASE_URL replaces its address. */
export function connectOpenai(model: string, env: Environment, { fetch, ...options }: ConnectOptions = {}): ModelProvider {
  const apiKey = requireVariable(env, "OPENAI_API_KEY", "An OpenAI model needs a key.");
  const baseURL = readBaseUrl(env, "OPENAI_BASE_URL", "https://api.openai.com/v1");
  const connection = createOpenAI({ apiKey, baseURL, fetch: guardedFetch(fetch) });
  return createLanguageModelProvider({
    ...options,
    id: `openai:${model}`,
    model: connection.responses(model),
    dialect: { marksErrors: false, hasImagesInResults: true, options: STATELESS },
    secrets: [apiKey],
  });
}

// The conversation stays here: the server keeps nothing, and what the model thought comes encrypted, to be carried back.
const STATELESS = { openai: { store: false } };
