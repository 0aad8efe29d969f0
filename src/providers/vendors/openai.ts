import { createOpenAI } from "@ai-sdk/openai";
import { type Environment, type Fetch, guardedFetch, readBaseUrl, requireVariable } from "./connection.ts";
import { createLanguageModelProvider } from "../sdk/provider.ts";
import type { ModelProvider } from "../contract/provider.ts";

/** OpenAI's Chat Completions API with the key in OPENAI_API_KEY; OPENAI_BASE_URL replaces its address. */
export function connectOpenai(model: string, env: Environment, fetch?: Fetch): ModelProvider {
  const apiKey = requireVariable(env, "OPENAI_API_KEY", "An OpenAI model needs a key.");
  const baseURL = readBaseUrl(env, "OPENAI_BASE_URL", "https://api.openai.com/v1");
  const connection = createOpenAI({ apiKey, baseURL, fetch: guardedFetch(fetch) });
  // `.chat` and not the default: the Responses API keeps conversations on the server.
  return createLanguageModelProvider({ id: `openai:${model}`, model: connection.chat(model), secrets: [apiKey] });
}
