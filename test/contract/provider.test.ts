import { connectAnthropic } from "../../src/providers/vendors/anthropic.ts";
import { connectGoogle } from "../../src/providers/vendors/google.ts";
import { connectOllama, connectOpenaiCompatible } from "../../src/providers/vendors/openai-compatible.ts";
import type { ModelProvider } from "../../src/providers/contract/provider.ts";
import { startScriptedProvider } from "../../src/providers/scripted/provider.ts";
import { startScriptedServer } from "../../src/providers/scripted/server.ts";
import { startGeminiServer } from "../support/gemini-server.ts";
import { script } from "../support/scripted-model.ts";
import { CONTRACT_TURNS, describeProvider } from "./provider-contract.ts";

/** A provider's own connection to a server that plays the contract's turns. */
async function onServer(protocol: "anthropic" | "openai", connect: (baseUrl: string, token: string) => ModelProvider): Promise<ModelProvider> {
  const server = await startScriptedServer(script(protocol, CONTRACT_TURNS));
  return { ...connect(server.baseUrl, server.token), close: () => server.close() };
}

describeProvider("anthropic", () =>
  onServer("anthropic", (url, token) => connectAnthropic("claude-test", { ANTHROPIC_API_KEY: token, ANTHROPIC_BASE_URL: url })),
);
describeProvider("openai-compatible", () =>
  onServer("openai", (url, token) => connectOpenaiCompatible("local", { WARDER_BASE_URL: url, WARDER_API_KEY: token })),
);
describeProvider("ollama", () => onServer("openai", (url, token) => connectOllama("local", { WARDER_BASE_URL: url, WARDER_API_KEY: token })));
describeProvider("scripted anthropic", () => startScriptedProvider(script("anthropic", CONTRACT_TURNS)));
describeProvider("scripted openai", () => startScriptedProvider(script("openai", CONTRACT_TURNS)));
describeProvider("google", async () => {
  const server = await startGeminiServer(script("openai", CONTRACT_TURNS).turns);
  return { ...connectGoogle("gemini-test", { GOOGLE_GENERATIVE_AI_API_KEY: server.key, GOOGLE_BASE_URL: server.baseUrl }), close: () => server.close() };
});
