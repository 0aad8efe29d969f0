import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type ConnectOptions, type Environment, guardedFetch, readBaseUrl, requireVariable } from "./connection.ts";
import { createLanguageModelProvider } from "../sdk/provider.ts";
import type { ModelProvider } from "../contract/provider.ts";

/** A model of a local Ollama; WARDER_BASE_URL replaces its usual address. */
export function connectOllama(model: string, env: Environment, options: ConnectOptions = {}): ModelProvider {
  return connect("ollama", model, { baseURL: readBaseUrl(env, "WARDER_BASE_URL", "http://127.0.0.1:11434/v1"), env }, options);
}

/** Any server that speaks OpenAI's Chat Completions (vLLM, llama.cpp, LM Studio…) at WARDER_BASE_URL, with the key in WARDER_API_KEY if it wants one. */
export function connectOpenaiCompatible(model: string, env: Environment, options: ConnectOptions = {}): ModelProvider {
  const address = requireVariable(env, "WARDER_BASE_URL", "An openai-compatible model needs the address of its server.");
  return connect("openai-compatible", model, { baseURL: readBaseUrl({ WARDER_BASE_URL: address }, "WARDER_BASE_URL", address), env }, options);
}

function connect(
  name: string,
  model: string,
  server: { readonly baseURL: string; readonly env: Environment },
  { fetch, ...options }: ConnectOptions,
): ModelProvider {
  const apiKey = server.env["WARDER_API_KEY"]?.trim() ?? "";
  const connection = createOpenAICompatible({
    name,
    baseURL: server.baseURL,
    includeUsage: true,
    fetch: guardedFetch(fetch),
    ...(apiKey === "" ? {} : { apiKey }),
  });
  return createLanguageModelProvider({ ...options, id: `${name}:${model}`, model: connection(model), dialect: CHAT, secrets: [apiKey] });
}

/** Chat Completions has no mark for a failed result, and no images in one. */
const CHAT = { marksErrors: false, hasImagesInResults: false };
