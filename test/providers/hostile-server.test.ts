import type { ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { readAnswer } from "../../src/agent/answer.ts";
import { countedTokens, usageOf } from "../../src/agent/usage.ts";
import { connectAnthropic } from "../../src/providers/vendors/anthropic.ts";
import { connectOpenaiCompatible } from "../../src/providers/vendors/openai-compatible.ts";
import type { ModelProvider } from "../../src/providers/contract/provider.ts";
import { startHttpServer } from "../support/http-server.ts";
import { FIRST_REQUEST } from "../support/scripted-model.ts";

const never = new AbortController().signal;
const chunk = (delta: object, rest: object = {}) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "m", choices: [{ index: 0, delta, finish_reason: null }], ...rest })}\n\n`;

async function serve(
  write: (response: ServerResponse, request: number) => void,
): Promise<{ readonly provider: ModelProvider; readonly requests: () => number }> {
  let requests = 0;
  const server = await startHttpServer((_request, response) => {
    requests += 1;
    response.writeHead(200, { "content-type": "text/event-stream" });
    write(response, requests);
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { provider: connectOpenaiCompatible("m", { WARDER_API_KEY: "sk-test", WARDER_BASE_URL: server.url }), requests: () => requests };
}

const answerOf = (provider: ModelProvider) => readAnswer(provider.stream(FIRST_REQUEST, never), () => undefined);

describe("usage that cannot be is counted from characters", () => {
  const words = "word ".repeat(100);
  test.each([
    ['"prompt_tokens": -1000000, "completion_tokens": 10'],
    ['"prompt_tokens": 10, "completion_tokens": -5'],
    ['"prompt_tokens": 1e999, "completion_tokens": 10'],
    ['"prompt_tokens": 1e300, "completion_tokens": 10'],
    ['"prompt_tokens": 10.5, "completion_tokens": 10'],
    ['"prompt_tokens": 10, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 1000000}'],
    ['"prompt_tokens": 10, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": -1000000}'],
  ])("%s", async (numbers) => {
    const end = `data: {"id":"c","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n`;
    const usage = `data: {"id":"c","object":"chat.completion.chunk","created":0,"model":"m","choices":[],"usage":{${numbers},"total_tokens":20}}\n\n`;
    const { provider } = await serve((response) => response.end(`${chunk({ role: "assistant", content: words })}${end}${usage}data: [DONE]\n\n`));
    const answer = await answerOf(provider);
    const counted = usageOf(answer, FIRST_REQUEST);
    expect(counted.isEstimated).toBe(true);
    expect(countedTokens(counted)).toBeGreaterThan(words.length / 4);
    expect(Number.isSafeInteger(countedTokens(counted))).toBe(true);
  });
});

describe("an answer that was begun is paid for, so it is asked for once", () => {
  test("when it breaks off in the middle of a call", async () => {
    const { provider, requests } = await serve((response) => {
      const call = { index: 0, id: "call_1", type: "function", function: { name: "shell", arguments: '{"comm' } };
      response.write(chunk({ role: "assistant", tool_calls: [call] }), () => setTimeout(() => response.destroy(), 2_000));
    });
    const answer = await answerOf(provider);
    expect(answer.ending).toMatchObject({ kind: "error", failure: { hasBegun: true } });
    expect(requests()).toBe(1);
    expect(usageOf(answer, FIRST_REQUEST)).toMatchObject({ isEstimated: true, inputTokens: expect.any(Number) as number });
    expect(countedTokens(usageOf(answer, FIRST_REQUEST))).toBeGreaterThan(0);
  });

  test("when it breaks off in the middle of a thought", async () => {
    let requests = 0;
    const events = [
      {
        type: "message_start",
        message: { id: "m", type: "message", role: "assistant", model: "m", content: [], usage: { input_tokens: 9, output_tokens: 1 } },
      },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Let me think." } },
    ];
    await using server = await startHttpServer((_request, response) => {
      requests += 1;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""), () =>
        setTimeout(() => response.destroy(), 2_000),
      );
    });
    const answer = await answerOf(connectAnthropic("m", { ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: server.url }));
    expect(answer.ending.kind).toBe("error");
    expect(requests).toBe(1);
    expect(countedTokens(usageOf(answer, FIRST_REQUEST))).toBeGreaterThan(0);
  });
});

describe("an answer without end", () => {
  const flood = (response: ServerResponse, text: string, count: (bytes: number) => void = () => undefined): void => {
    const write = (): boolean => {
      count(text.length);
      return response.write(text);
    };
    const pour = (): void => {
      while (!response.destroyed && write()) if (response.destroyed) return;
      if (!response.destroyed) response.once("drain", pour);
    };
    pour();
  };

  test.each([
    ["words", chunk({ content: "word ".repeat(10_000) })],
    ["a line that does not end", "x".repeat(65_536)],
    ["calls", chunk({ tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "shell", arguments: "x".repeat(65_536) } }] })],
  ])("of %s is left when it is longer than any answer", async (_what, text) => {
    let sent = 0;
    const { provider, requests } = await serve((response) => flood(response, text, (bytes) => (sent += bytes)));
    const answer = await answerOf(provider);
    // What was under way when it was left, besides.
    expect(sent).toBeLessThan(128 * 1024 ** 2);
    expect(answer.ending).toMatchObject({ kind: "error", failure: { isRetryable: false, message: expect.stringContaining("64 MiB") as string } });
    expect(requests()).toBe(1);
  });

  test("of more calls than any turn has is none, and nothing of it is kept", async () => {
    const calls = Array.from({ length: 20_000 }, (_unused, index) => ({
      index,
      id: `c${index}`,
      type: "function",
      function: { name: "shell", arguments: "{}" },
    }));
    const { provider } = await serve((response) => response.end(`${chunk({ role: "assistant", tool_calls: calls })}data: [DONE]\n\n`));
    const answer = await answerOf(provider);
    expect(answer.ending).toMatchObject({ kind: "error", failure: { isRetryable: false, message: expect.stringContaining("calls") as string } });
    expect(answer.calls).toEqual([]);
    expect(usageOf(answer, FIRST_REQUEST).isEstimated).toBe(true);
  });
});
