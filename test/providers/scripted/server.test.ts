import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { startScriptedProvider } from "../../../src/providers/scripted/provider.ts";
import { startScriptedServer, type ScriptedServer } from "../../../src/providers/scripted/server.ts";
import { collect, FIRST_REQUEST, script } from "../../support/scripted-model.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

const TURNS = [
  {
    say: "Look.",
    calls: [
      { tool: "shell", input: {} },
      { tool: "shell", input: {} },
    ],
  },
  { when: { "result-contains": "README", "result-excludes": "secret" }, say: "Done." },
];

async function start(protocol: "anthropic" | "openai"): Promise<ScriptedServer> {
  const server = await startScriptedServer(script(protocol, TURNS));
  opened.push(server);
  return server;
}

const user = { role: "user", content: "Go." };
const callOf = (id: string) => ({ type: "tool_use", id, name: "shell", input: {} });
const resultOf = (id: string, content: string) => ({ type: "tool_result", tool_use_id: id, content });

async function post(server: ScriptedServer, messages: readonly unknown[], headers: Record<string, string> = { "x-api-key": server.token }) {
  const response = await fetch(`${server.baseUrl}/messages`, {
    method: "POST",
    headers,
    body: JSON.stringify({ model: "m", max_tokens: 100, stream: true, messages }),
  });
  return { status: response.status, text: await response.text() };
}

test.each([
  ["no token", {}],
  ["a wrong token", { "x-api-key": "guess" }],
  ["the token in another header", { authorization: "Bearer x" }],
])("refuses a request with %s", async (_what, headers) => {
  const server = await start("anthropic");
  expect(await post(server, [user], headers as Record<string, string>)).toMatchObject({ status: 401 });
  expect((await post(server, [user])).status).toBe(200);
});

test("listens on the loopback interface only, each time with another token", async () => {
  const [first, second] = [await start("anthropic"), await start("anthropic")];
  expect(first.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/u);
  expect(first.token).not.toBe(second.token);
  expect(first.token.length).toBeGreaterThanOrEqual(43);
});

describe("refuses, as a real server would,", () => {
  const cases: readonly [string, readonly unknown[]][] = [
    ["a call without a result", [user, { role: "assistant", content: [callOf("a"), callOf("b")] }, { role: "user", content: [resultOf("a", "x")] }]],
    [
      "results in another order",
      [user, { role: "assistant", content: [callOf("a"), callOf("b")] }, { role: "user", content: [resultOf("b", "x"), resultOf("a", "x")] }],
    ],
    ["a result twice", [user, { role: "assistant", content: [callOf("a")] }, { role: "user", content: [resultOf("a", "x"), resultOf("a", "x")] }]],
    ["a result of no call", [user, { role: "user", content: [resultOf("a", "x")] }]],
    ["text between call and result", [user, { role: "assistant", content: [callOf("a")] }, user, { role: "user", content: [resultOf("a", "x")] }]],
    [
      "text before the result in its message",
      [user, { role: "assistant", content: [callOf("a")] }, { role: "user", content: [{ type: "text", text: "hm" }, resultOf("a", "x")] }],
    ],
    [
      "an id used twice",
      [user, { role: "assistant", content: [callOf("a"), callOf("a")] }, { role: "user", content: [resultOf("a", "x"), resultOf("a", "x")] }],
    ],
    ["calls that were never answered", [user, { role: "assistant", content: [callOf("a")] }]],
    ["a message of an unknown form", [{ role: "robot", content: "Go." }]],
  ];
  test.each(cases)("%s", async (_what, messages) => {
    const server = await start("anthropic");
    expect(await post(server, messages)).toMatchObject({ status: 400 });
    expect(server.takeMismatch()).toBeNull();
  });
});

test("gives the same turn to a request that is sent again", async () => {
  const server = await start("anthropic");
  const [first, again] = [await post(server, [user]), await post(server, [user])];
  expect(first).toEqual(again);
  expect(first.text).toContain("event: message_start\ndata: {");
});

const answered = (text: string) => [
  user,
  { role: "assistant", content: [callOf("a"), callOf("b")] },
  { role: "user", content: [resultOf("a", text), resultOf("b", "x")] },
];

test("fails a turn whose condition differs, showing what was expected and what came", async () => {
  const server = await start("anthropic");
  const wrong = await post(server, answered("nothing here"));
  expect(wrong.status).toBe(400);
  expect(server.takeMismatch()).toBe('script.yaml, turn 2: expected a result that contains "README", but got:\nnothing here\nx');
  await post(server, answered("README and a secret"));
  expect(server.takeMismatch()).toContain('expected no result that contains "secret"');
  expect((await post(server, answered("README"))).status).toBe(200);
});

test("the provider reports a difference as a mismatch of the script", async () => {
  const provider = await startScriptedProvider(script("openai", [{ when: { "result-contains": "a" }, say: "x" }]));
  opened.push(provider);
  expect(await collect(provider.stream(FIRST_REQUEST, new AbortController().signal))).toEqual([
    {
      kind: "error",
      failure: { code: "script-mismatch", isRetryable: false, message: "script.yaml, turn 1: expected a tool result, but no tool was called before." },
    },
  ]);
});

test("answers any request body, and only ever with a refusal or a turn", async () => {
  const server = await start("anthropic");
  const block = fc.oneof(
    fc.record({
      type: fc.constantFrom("text", "tool_use", "tool_result", "image"),
      id: fc.constantFrom("a", "b"),
      tool_use_id: fc.constantFrom("a", "b"),
      text: fc.string(),
      name: fc.constant("x"),
      input: fc.object(),
    }),
    fc.jsonValue(),
  );
  const message = fc.oneof(
    fc.record({ role: fc.constantFrom("user", "assistant", "system"), content: fc.oneof(fc.string(), fc.array(block, { maxLength: 3 })) }),
    fc.jsonValue(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 5 }), async (messages) => {
      const { status, text } = await post(server, messages);
      expect([200, 400]).toContain(status);
      expect(text).toContain(status === 200 ? "message_stop" : "invalid_request_error");
    }),
    { numRuns: 150 },
  );
});

test("a closed server answers nobody", async () => {
  const server = await start("anthropic");
  await server.close();
  await expect(post(server, [user])).rejects.toThrow(TypeError);
});
