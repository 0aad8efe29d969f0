import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { type ConnectOptions, type Environment, guardedFetch, readBaseUrl, requireVariable } from "./connection.ts";
import { createLanguageModelProvider } from "../sdk/provider.ts";
import type { ModelProvider } from "../contract/provider.ts";

/** Google's Gemini API with the key in GOOGLE_GENERATIVE_AI_API_KEY; GOOGLE_BASE_URL replaces its address. */
export function connectGoogle(model: string, env: Environment, { fetch, ...options }: ConnectOptions = {}): ModelProvider {
  const apiKey = requireVariable(env, "GOOGLE_GENERATIVE_AI_API_KEY", "A Google model needs a key.");
  const baseURL = readBaseUrl(env, "GOOGLE_BASE_URL", "https://generativelanguage.googleapis.com/v1beta");
  const connection = createGoogleGenerativeAI({ apiKey, baseURL, fetch: guardedFetch(fetch) });
  return createLanguageModelProvider({
    ...options,
    id: `google:${model}`,
    model: connection(model),
    dialect: { marksErrors: false, hasImagesInResults: true },
    secrets: [apiKey],
  });
}
