import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { connectOpenai } from "../../src/providers/vendors/openai.ts";
import { connectAnthropic } from "../../src/providers/vendors/anthropic.ts";
import { createLanguageModelProvider } from "../../src/providers/sdk/provider.ts";
import type { waitFor } from "../../src/providers/contract/cancellation.ts";
import { startHttpServer } from "../support/http-server.ts";
import { collect, FIRST_REQUEST, textOf } from "../support/scripted-model.ts";
import { createOpenAI } from "@ai-sdk/openai";

const KEY = "sk-test-1234567890";
const never = new AbortController().signal;
const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

function answer(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(`${chunk({ role: "assistant", content: text })}${chunk({}, "stop")}data: [DONE]\n\n`);
}

function fail(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ error: { message: `no, ${KEY}`, type: "x", param: null, code: null } }));
}

/** A provider whose pauses are recorded instead of waited for. */
function impatient(url: string, pauses: number[]) {
  const wait: typeof waitFor = (milliseconds) => {
    pauses.push(milliseconds);
    return Promise.resolve();
  };
  const model = createOpenAI({ apiKey: KEY, baseURL: `${url}/v1` }).chat("m");
  return createLanguageModelProvider({ id: "openai:m", model, dialect: { marksErrors: false, hasImagesInResults: false }, secrets: [KEY], wait });
}

test.each([[429], [500], [503], [529], [408]])("tries again after %i, before the first event, with growing pauses", async (status) => {
  let requests = 0;
  await using server = await startHttpServer((_request, response) => ((requests += 1) < 3 ? fail(response, status) : answer(response, "Hi.")));
  const pauses: number[] = [];
  expect(textOf(await collect(impatient(server.url, pauses).stream(FIRST_REQUEST, never)))).toBe("Hi.");
  expect(requests).toBe(3);
  expect(pauses).toHaveLength(2);
  expect((pauses[1] ?? 0) > (pauses[0] ?? 0)).toBe(true);
});

test("gives up after four attempts and says what the server said, without the key", async () => {
  let requests = 0;
  await using server = await startHttpServer((_request, response) => {
    requests += 1;
    fail(response, 500);
  });
  const events = await collect(impatient(server.url, []).stream(FIRST_REQUEST, never));
  expect(requests).toBe(4);
  expect(events).toEqual([
    { kind: "error", failure: { code: "provider-failed", isRetryable: true, message: "The model's server answered 500: no, [secret]" } },
  ]);
});

test("waits as long as the server asks, at most a minute", async () => {
  let requests = 0;
  await using server = await startHttpServer((_request, response) => {
    requests += 1;
    if (requests > 2) answer(response, "Hi.");
    else fail(response, 429, { "retry-after": requests === 1 ? "7" : "9999" });
  });
  const pauses: number[] = [];
  await collect(impatient(server.url, pauses).stream(FIRST_REQUEST, never));
  expect(pauses).toEqual([7000, 60_000]);
});

test.each([[400], [401], [403], [404]])("does not try again after %i", async (status) => {
  let requests = 0;
  await using server = await startHttpServer((_request, response) => {
    requests += 1;
    fail(response, status);
  });
  const events = await collect(impatient(server.url, []).stream(FIRST_REQUEST, never));
  expect(events).toMatchObject([{ kind: "error", failure: { isRetryable: false } }]);
  expect(requests).toBe(1);
});

test("does not try again once something was heard", async () => {
  let requests = 0;
  let breakOff = (): unknown => undefined;
  await using server = await startHttpServer((_request, response) => {
    requests += 1;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk({ role: "assistant", content: "Hel" }));
    breakOff = () => response.destroy();
  });
  const events = [];
  for await (const event of impatient(server.url, []).stream(FIRST_REQUEST, never)) {
    events.push(event);
    breakOff();
  }
  expect(textOf(events)).toBe("Hel");
  expect(events.at(-1)).toMatchObject({ kind: "error", failure: { isRetryable: true } });
  expect(requests).toBe(1);
});

test("tries again when the connection broke before anything was heard", async () => {
  let requests = 0;
  await using server = await startHttpServer((_request, response) => {
    requests += 1;
    if (requests > 1) return answer(response, "Hi.");
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": ping\n\n", () => setTimeout(() => response.destroy(), 50));
  });
  expect(textOf(await collect(impatient(server.url, []).stream(FIRST_REQUEST, never)))).toBe("Hi.");
});

test("does not call an answer whole that lost its end", async () => {
  await using server = await startHttpServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(chunk({ role: "assistant", content: "Hel" }));
  });
  const events = await collect(impatient(server.url, []).stream(FIRST_REQUEST, never));
  expect(events.at(-1)).toEqual({ kind: "finish", reason: "interrupted" });
});

test("a server that cannot be reached is an error, not an exception", async () => {
  const events = await collect(impatient("http://127.0.0.1:9", []).stream(FIRST_REQUEST, never));
  expect(events).toMatchObject([{ kind: "error", failure: { code: "provider-failed", message: expect.stringContaining("could not be reached") } }]);
});

test.each([[301], [302], [307], [308]])("follows no redirect (%i), so that the key stays where it was sent", async (status) => {
  const keys: (string | undefined)[] = [];
  await using elsewhere = await startHttpServer((request, response) => {
    keys.push(request.headers.authorization ?? String(request.headers["x-api-key"]));
    answer(response, "stolen");
  });
  await using server = await startHttpServer((_request, response) => {
    response.writeHead(status, { location: `${elsewhere.url}/v1/chat/completions` });
    response.end();
  });
  for (const provider of [
    connectOpenai("m", { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.url }),
    connectAnthropic("m", { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url }),
  ]) {
    expect(await collect(provider.stream(FIRST_REQUEST, never))).toMatchObject([
      { kind: "error", failure: { isRetryable: false, message: expect.stringContaining("redirect") } },
    ]);
  }
  expect(keys).toEqual([]);
});

test("several turns share one connection, and an answer that is kept open after its end is not waited for", async () => {
  const stop = { type: "message_stop" };
  const events = [
    { type: "message_start", message: { id: "m", type: "message", role: "assistant", model: "m", content: [], usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 1 } },
    stop,
  ];
  const sockets = new Set<unknown>();
  let isKeptOpen = false;
  await using server = await startHttpServer((request, response) => {
    sockets.add(request.socket);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
    if (!isKeptOpen) setTimeout(() => response.end(), 20);
  });
  const provider = connectAnthropic("m", { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url });
  for (let turn = 0; turn < 8; turn += 1) expect((await collect(provider.stream(FIRST_REQUEST, never))).at(-1)).toEqual({ kind: "finish", reason: "stop" });
  // The next turn may begin before the client has put the connection back, on a machine that stalls more than once; never each time.
  expect(sockets.size).toBeLessThan(8);
  isKeptOpen = true;
  expect((await collect(provider.stream(FIRST_REQUEST, never))).at(-1)).toEqual({ kind: "finish", reason: "stop" });
});

test("a server that says nothing is left after five minutes of silence", async () => {
  const asked = Promise.withResolvers<null>();
  await using server = await startHttpServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": ping\n\n", () => asked.resolve(null));
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const collecting = collect(impatient(server.url, []).stream(FIRST_REQUEST, never));
  await asked.promise;
  vi.advanceTimersByTime(300_000);
  expect(await collecting).toMatchObject([{ kind: "error", failure: { message: "The model's server was silent for 300 seconds." } }]);
});

test("an abort ends a silent stream at once and closes its connection", async () => {
  const stop = new AbortController();
  let isClosed = false;
  await using server = await startHttpServer((_request, response) => {
    response.on("close", () => (isClosed = true));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk({ role: "assistant", content: "Wait" }));
  });
  const events = [];
  for await (const event of impatient(server.url, []).stream(FIRST_REQUEST, stop.signal)) {
    events.push(event);
    stop.abort();
  }
  expect(events.at(-1)).toEqual({ kind: "finish", reason: "cancelled" });
  await expect.poll(() => isClosed).toBe(true);
});

test("an abort ends the wait for a server that does not answer", async () => {
  const stop = new AbortController();
  await using server = await startHttpServer(() => stop.abort());
  expect(await collect(impatient(server.url, []).stream(FIRST_REQUEST, stop.signal))).toEqual([{ kind: "finish", reason: "cancelled" }]);
});

test("an abort ends the pause before another attempt", async () => {
  const stop = new AbortController();
  await using server = await startHttpServer((_request, response) => fail(response, 429, { "retry-after": "60" }));
  const provider = connectOpenai("m", { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.url });
  const collecting = collect(provider.stream(FIRST_REQUEST, stop.signal));
  await expect.poll(() => server.connections()).toBeGreaterThan(0);
  setTimeout(() => stop.abort(), 100);
  expect(await collecting).toEqual([{ kind: "finish", reason: "cancelled" }]);
});
