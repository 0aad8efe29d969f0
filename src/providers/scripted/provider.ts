import type { LanguageModelV4 } from "@ai-sdk/provider";
import { guardedFetch } from "../vendors/connection.ts";
import { createLanguageModelProvider } from "../sdk/provider.ts";
import type { ModelProvider } from "../contract/provider.ts";
import type { Protocol, Script } from "./script.ts";
import { type ScriptedServer, startScriptedServer } from "./server.ts";

const MODEL = "scripted";

/** Starts a server that plays the script, and the real client of its protocol. `close` ends the server. */
export async function startScriptedProvider(script: Script): Promise<ModelProvider> {
  const server = await startScriptedServer(script);
  const client = createLanguageModelProvider({
    id: `scripted:${script.file}`,
    model: await connect(script.protocol, server),
    dialect: { marksErrors: script.protocol === "anthropic", hasImagesInResults: script.protocol === "anthropic" },
    secrets: [server.token],
  });
  return {
    id: client.id,
    isScripted: true,
    async *stream(request, signal) {
      for await (const event of client.stream(request, signal)) {
        const mismatch = event.kind === "error" ? server.takeMismatch() : null;
        yield mismatch === null ? event : { kind: "error", failure: { code: "script-mismatch", message: mismatch, isRetryable: false } };
      }
    },
    close: () => server.close(),
  };
}

async function connect(protocol: Protocol, server: ScriptedServer): Promise<LanguageModelV4> {
  const settings = { baseURL: server.baseUrl, apiKey: server.token, fetch: guardedFetch() };
  if (protocol === "anthropic") return (await import("@ai-sdk/anthropic")).createAnthropic(settings)(MODEL);
  return (await import("@ai-sdk/openai")).createOpenAI(settings).chat(MODEL);
}
