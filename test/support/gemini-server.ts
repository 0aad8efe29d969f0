import type { ServerResponse } from "node:http";
import type { ScriptedTurn } from "../../src/providers/scripted/script.ts";
import { readBody, startHttpServer } from "./http-server.ts";

type Part = { text?: string; functionCall?: { name: string; args: unknown }; functionResponse?: { name: string; response: unknown } };

/** Gemini's streamGenerateContent, as far as the contract suite speaks it: a model's words, over real HTTP. */
export async function startGeminiServer(turns: readonly ScriptedTurn[]): Promise<{ baseUrl: string; key: string; close(): Promise<void> }> {
  const key = "gemini-test-key";
  const server = await startHttpServer((request, response) => {
    readBody(request).then(
      (body) => {
        if (request.headers["x-goog-api-key"] !== key || !request.url?.includes(":streamGenerateContent")) return refuse(response, 401, "no key");
        const { contents } = JSON.parse(body) as { contents: { role: string; parts: Part[] }[] };
        const index = contents.filter((content) => content.role === "model").length;
        const turn = turns[index];
        if (!turn) return refuse(response, 400, `the script has ${turns.length} turns`);
        const got = JSON.stringify(contents.at(-1)?.parts.map((part) => part.functionResponse) ?? []);
        const missing = turn.contains.find((text) => !got.includes(text));
        if (missing !== undefined) return refuse(response, 400, `expected ${missing}, got ${got}`);
        response.writeHead(200, { "content-type": "text/event-stream" });
        const send = (parts: Part[], rest: object = {}) =>
          response.write(
            `data: ${JSON.stringify({ candidates: [{ content: { role: "model", parts }, ...rest }], usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 } })}\n\n`,
          );
        for (const text of turn.say.match(/\S+\s*/gu) ?? []) send([{ text }]);
        for (const call of turn.calls) send([{ functionCall: { name: call.tool, args: JSON.parse(call.inputText) } }]);
        send([{ text: "" }], { finishReason: "STOP" });
        response.end();
      },
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  });
  return { baseUrl: `${server.url}/v1beta`, key, close: async () => server[Symbol.asyncDispose]() };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { code: status, message, status: "INVALID_ARGUMENT" } }));
}
