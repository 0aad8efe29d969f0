import { expect, test } from "vitest";
import { prepareCalls } from "../../src/agent/calls/prepare.ts";
import { readAnswer } from "../../src/agent/answer.ts";
import { connectAnthropic } from "../../src/providers/vendors/anthropic.ts";
import { connectGoogle } from "../../src/providers/vendors/google.ts";
import type { Message } from "../../src/providers/contract/message.ts";
import type { ModelProvider } from "../../src/providers/contract/provider.ts";
import { readBody, startHttpServer, type HttpServer } from "../support/http-server.ts";
import { FIRST_REQUEST } from "../support/scripted-model.ts";

const never = new AbortController().signal;

/** A server that always streams the same answer and keeps what it was sent. */
async function startRecorder(answer: string): Promise<HttpServer & { readonly bodies: Record<string, unknown>[] }> {
  const bodies: Record<string, unknown>[] = [];
  const server = await startHttpServer((request, response) => {
    void readBody(request).then((body) => {
      bodies.push(JSON.parse(body) as Record<string, unknown>);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(answer);
    });
  });
  return { ...server, bodies };
}

/** Two turns as the agent would send them: the answer, its one call answered, and asked again. */
async function twoTurns(provider: ModelProvider): Promise<void> {
  const answer = await readAnswer(provider.stream(FIRST_REQUEST, never), () => undefined);
  const calls = prepareCalls(answer.calls, { usedIds: new Set(), isCut: false });
  const messages: Message[] = [
    ...FIRST_REQUEST.messages,
    { kind: "assistant", parts: [...answer.parts, ...calls.map(({ part }) => part)] },
    {
      kind: "tool",
      results: calls.map(({ part }) => ({ kind: "tool-result", callId: part.callId, name: part.name, text: "[untrusted output]\nx", isError: true })),
    },
  ];
  await readAnswer(provider.stream({ ...FIRST_REQUEST, messages }, never), () => undefined);
}

const events = (list: readonly { type: string }[]) => list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
const block = (index: number, start: object, deltas: readonly object[]) => [
  { type: "content_block_start", index, content_block: start },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];

test("Anthropic gets its reasoning back with its signature, and marks for its cache", async () => {
  const answer = events([
    {
      type: "message_start",
      message: { id: "m", type: "message", role: "assistant", model: "m", content: [], usage: { input_tokens: 5, output_tokens: 1 } },
    } as { type: string },
    ...block(0, { type: "thinking", thinking: "" }, [
      { type: "thinking_delta", thinking: "Let me think." },
      { type: "signature_delta", signature: "signed" },
    ]),
    ...block(1, { type: "tool_use", id: "toolu_1", name: "shell", input: {} }, [{ type: "input_json_delta", partial_json: '{"command":"ls"}' }]),
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 9 } } as { type: string },
    { type: "message_stop" },
  ]);
  await using server = await startRecorder(answer);
  await twoTurns(connectAnthropic("claude-sonnet-4-5", { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url }));
  expect(server.bodies[1]).toMatchObject({
    system: [{ type: "text", cache_control: { type: "ephemeral" } }],
    messages: [
      { role: "user" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Let me think.", signature: "signed" },
          { type: "tool_use", id: "toolu_1", input: { command: "ls" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", is_error: true, cache_control: { type: "ephemeral" } }] },
    ],
    tools: [{ name: "shell", input_schema: { type: "object", additionalProperties: false } }],
  });
});

test("Google gets the signature of a call back with the call", async () => {
  const chunk = {
    candidates: [
      { content: { role: "model", parts: [{ functionCall: { name: "shell", args: { command: "ls" } }, thoughtSignature: "signed" }] }, finishReason: "STOP" },
    ],
  };
  await using server = await startRecorder(`data: ${JSON.stringify(chunk)}\n\n`);
  await twoTurns(connectGoogle("gemini-3-pro", { GOOGLE_GENERATIVE_AI_API_KEY: "k", GOOGLE_BASE_URL: server.url }));
  const contents = server.bodies[1]?.["contents"] as { parts: unknown[] }[];
  expect(contents[1]?.parts).toMatchObject([{ functionCall: { name: "shell", args: { command: "ls" } }, thoughtSignature: "signed" }]);
  expect(contents[2]?.parts).toMatchObject([{ functionResponse: { name: "shell" } }]);
});
