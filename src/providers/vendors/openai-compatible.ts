import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type Environment, type Fetch, guardedFetch, readBaseUrl, requireVariable } from "./connection.ts";
import { createLanguageModelProvider } from "../sdk/provider.ts";
import type { ModelProvider } from "../contract/provider.ts";

/** A model of a local Ollama; WARDER_BASE_URL replaces its usual address. */
export function connectOllama(model: string, env: Environment, fetch?: Fetch): ModelProvider {
  return connect("ollama", model, { baseURL: readBaseUrl(env, "WARDER_BASE_URL", "http://127.0.0.1:11434/v1"), env, fetch });
}

/** Any server that speaks OpenAI's Chat Completions (vLLM, llama.cpp, LM Studio…) at WARDER_BASE_URL, with the key in WARDER_API_KEY if it wants one. */
export function connectOpenaiCompatible(model: string, env: Environment, fetch?: Fetch): ModelProvider {
  const address = requireVariable(env, "WARDER_BASE_URL", "An openai-compatible model needs the address of its server.");
  return connect("openai-compatible", model, { baseURL: readBaseUrl({ WARDER_BASE_URL: address }, "WARDER_BASE_URL", address), env, fetch });
}

function connect(
  name: string,
  model: string,
  options: { readonly baseURL: string; readonly env: Environment; readonly fetch: Fetch | undefined },
): ModelProvider {
  const apiKey = options.env["WARDER_API_KEY"]?.trim() ?? "";
  const connection = createOpenAICompatible({
    name,
    baseURL: options.baseURL,
    includeUsage: true,
    fetch: guardedFetch(options.fetch),
    ...(apiKey === "" ? {} : { apiKey }),
  });
  return createLanguageModelProvider({ id: `${name}:${model}`, model: connection(model), secrets: [apiKey] });
}
