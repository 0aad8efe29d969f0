import type { ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { readAnswer, type Answer } from "../../src/agent/answer.ts";
import { prepareCalls } from "../../src/agent/calls/prepare.ts";
import type { Message } from "../../src/providers/contract/message.ts";
import type { ModelProvider, ModelRequest } from "../../src/providers/contract/provider.ts";
import type { ConnectOptions } from "../../src/providers/vendors/connection.ts";
import { toInputSchema } from "../../src/tools/contract/json-schema.ts";
import type { ToolContext } from "../../src/tools/contract/tool.ts";
import { decodeInput } from "../../src/tools/decode.ts";
import { structuredOutput } from "../../src/tools/run/structured-output.ts";
import { readBody, startHttpServer } from "../support/http-server.ts";
import { collect, FIRST_REQUEST, textOf } from "../support/scripted-model.ts";
import type { Piece, Wire, WireAnswer } from "./wires/wire.ts";

const KEY = "sk-test-1234567890abcdef";
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const USAGE = { input: 100, cached: 60, output: 9 };
const never = new AbortController().signal;

const SAID: WireAnswer = { pieces: [{ kind: "text", text: "Hi." }], ending: "stop", usage: USAGE };
const call = (id: string, inputText: string): Piece => ({ kind: "call", id, name: "shell", inputText });
const asking = (...pieces: readonly Piece[]): WireAnswer => ({ pieces, ending: "calls", usage: USAGE });

type Write = (response: ServerResponse, request: number, wire: Wire) => void;

/** Writes one whole answer, each event by itself. */
const says =
  (answer: WireAnswer): Write =>
  (response, _request, wire) => {
    open(response);
    for (const frame of wire.frames(answer)) response.write(frame);
    response.end();
  };

function open(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
}

/** What every client does with its protocol, over real HTTP. */
export function describeWire(wire: Wire): void {
  describe(`${wire.name} on the wire`, () => {
    const pauses: number[] = [];

    async function serve(write: Write, options: ConnectOptions = {}): Promise<{ provider: ModelProvider; requests: () => number; bodies: unknown[] }> {
      const bodies: unknown[] = [];
      const server = await startHttpServer((request, response) => {
        void readBody(request).then((body) => {
          bodies.push(JSON.parse(body));
          write(response, bodies.length, wire);
        });
      });
      onTestFinished(() => server[Symbol.asyncDispose]());
      pauses.length = 0;
      const wait: ConnectOptions["wait"] = (milliseconds) => {
        pauses.push(milliseconds);
        return Promise.resolve();
      };
      return { provider: wire.connect(server.url, KEY, { wait, ...options }), requests: () => bodies.length, bodies };
    }

    const fails = (status: number, headers: Record<string, string> = {}, message = "no"): Write => {
      return (response) => {
        response.writeHead(status, { "content-type": "application/json", ...headers });
        response.end(JSON.stringify(wire.failure(status, message)));
      };
    };
    const answerOf = (provider: ModelProvider, request: ModelRequest = FIRST_REQUEST): Promise<Answer> =>
      readAnswer(provider.stream(request, never), () => undefined);
    const askFor = async (answer: WireAnswer): Promise<Answer> => answerOf((await serve(says(answer))).provider);

    /** The conversation after an answer, each of its calls answered. */
    function following(answer: Answer, result: { readonly text: string; readonly images?: boolean; readonly isError?: boolean }): ModelRequest {
      const calls = prepareCalls(answer.calls, { usedIds: new Set(), isCut: false });
      const messages: Message[] = [
        ...FIRST_REQUEST.messages,
        { kind: "assistant", parts: [...answer.parts, ...calls.map(({ part }) => part)] },
        {
          kind: "tool",
          results: calls.map(({ part }, index) => ({
            kind: "tool-result",
            callId: part.callId,
            name: part.name,
            text: result.text,
            isError: result.isError === true,
            ...(result.images === true && index === calls.length - 1 ? { images: [{ mediaType: "image/png" as const, base64: PNG }] } : {}),
          })),
        },
      ];
      return { ...FIRST_REQUEST, messages };
    }

    test("parallel calls in pieces come whole, each with its own arguments", async () => {
      const inputs = ["ls -l", 'echo "ä\u{1F600}\\n"', "true"].map((command) => JSON.stringify({ command }));
      const answer = await askFor(asking({ kind: "text", text: "Let me look." }, ...inputs.map((text, index) => call(`call_${index}`, text))));
      expect(answer.text).toBe("Let me look.");
      expect(answer.calls.map(({ inputText }) => JSON.parse(inputText) as unknown)).toEqual(inputs.map((text) => JSON.parse(text) as unknown));
      expect(new Set(answer.calls.map(({ callId }) => callId)).size).toBe(3);
      expect(answer.ending).toEqual({ kind: "finish", reason: "tool-calls" });
    });

    test("a call without arguments is one with none", async () => {
      const answer = await askFor(asking(call("call_1", "")));
      expect(prepareCalls(answer.calls, { usedIds: new Set(), isCut: false })).toMatchObject([{ part: { name: "shell", input: {} }, problem: null }]);
    });

    test.runIf(wire.hasTextArguments)("arguments that are no JSON come as the model wrote them, and go back as none", async () => {
      const { provider, bodies } = await serve(says(asking(call("call_1", '{"command": "ls'))));
      const answer = await answerOf(provider);
      expect(answer.calls.map(({ inputText }) => inputText)).toEqual(['{"command": "ls']);
      expect(prepareCalls(answer.calls, { usedIds: new Set(), isCut: false })).toMatchObject([{ problem: expect.stringContaining("no valid JSON") as string }]);
      await answerOf(provider, following(answer, { text: "[warder, failed]\nno" }));
      expect(wire.read(bodies[1]).results).toMatchObject([{ text: "[warder, failed]\nno" }]);
    });

    test("a refusal of the provider is told from an answer", async () => {
      const answer = await askFor({ pieces: [{ kind: "text", text: "I " }], ending: "refusal", usage: USAGE });
      expect(answer.ending).toEqual({ kind: "finish", reason: "content-filter" });
    });

    test("an answer at its output limit is told as cut", async () => {
      const answer = await askFor({ pieces: [{ kind: "text", text: "It is long" }], ending: "length", usage: USAGE });
      expect(answer.ending).toEqual({ kind: "finish", reason: "length" });
    });

    test("usage counts what a cache held apart", async () => {
      expect((await askFor(SAID)).usage).toEqual({ inputTokens: 100, cachedInputTokens: 60, outputTokens: 9, isEstimated: false });
    });

    test.each([[429], [500], [503], [529]])("%i is tried again after as long as the server asks", async (status) => {
      const { provider, requests } = await serve((response, request) =>
        request < 3 ? fails(status, { "retry-after": "7" })(response, request, wire) : says(SAID)(response, request, wire),
      );
      expect(textOf(await collect(provider.stream(FIRST_REQUEST, never)))).toBe("Hi.");
      expect(requests()).toBe(3);
      expect(pauses).toEqual([7000, 7000]);
    });

    test("a wait that is asked for as a date or in milliseconds is honoured, and never longer than a minute", async () => {
      const advice = [{ "retry-after-ms": "1500" }, { "retry-after": new Date(Date.now() + 55_000).toUTCString() }, { "retry-after": "86400" }];
      const { provider } = await serve((response, request) => {
        const headers = advice[request - 1];
        return headers === undefined ? says(SAID)(response, request, wire) : fails(429, headers)(response, request, wire);
      });
      expect(textOf(await collect(provider.stream(FIRST_REQUEST, never)))).toBe("Hi.");
      expect(pauses[0]).toBe(1500);
      expect(pauses[1]).toBeGreaterThan(1000);
      expect(pauses[1]).toBeLessThanOrEqual(55_000);
      expect(pauses[2]).toBe(60_000);
    });

    test("a server that asks for a longer wait than there is patience for is not asked again", async () => {
      const { provider, requests } = await serve(fails(429, { "retry-after": "30" }), { maxPauseMs: 10_000 });
      expect((await answerOf(provider)).ending).toMatchObject({ kind: "error", failure: { isRetryable: true, retryAfterMs: 30_000 } });
      expect(requests()).toBe(1);
    });

    test.each([[400], [401], [403], [404], [413]])("%i is not tried again, and what is told of it is without the key", async (status) => {
      const { provider, requests } = await serve(fails(status, {}, `bad key ${KEY}`));
      const { ending } = await answerOf(provider);
      expect(ending).toMatchObject({ kind: "error", failure: { isRetryable: false, message: expect.stringContaining(String(status)) as string } });
      expect(JSON.stringify(ending)).not.toContain(KEY);
      expect(requests()).toBe(1);
    });

    test.runIf(wire.overloadedFrame !== null)("an overload that is told inside the stream, before a word, is tried again", async () => {
      const { provider, requests } = await serve((response, request) => {
        if (request > 1) return says(SAID)(response, request, wire);
        open(response);
        response.end(wire.overloadedFrame);
      });
      expect(textOf(await collect(provider.stream(FIRST_REQUEST, never)))).toBe("Hi.");
      expect(requests()).toBe(2);
    });

    test("a stream that breaks before anything is tried again; one that breaks in the middle is an error, asked for once", async () => {
      const frames = wire.frames({ ...SAID, pieces: [{ kind: "text", text: "This is a longer answer than one piece." }] });
      const { provider, requests } = await serve((response, request) => {
        open(response);
        if (request === 1) response.write(": keep-alive\n\n", () => setTimeout(() => response.destroy(), 50));
        else response.write(frames.slice(0, -3).join(""), () => setTimeout(() => response.destroy(), 200));
      });
      const answer = await answerOf(provider);
      expect(answer.text).not.toBe("");
      expect(answer.ending).toMatchObject({ kind: "error", failure: { hasBegun: true } });
      expect(requests()).toBe(2);
    });

    test("a stream that ends early is not taken for a whole answer", async () => {
      const frames = wire.frames(asking(call("call_1", '{"command":"rm -rf build"}')));
      const { provider } = await serve((response) => {
        open(response);
        response.end(frames.slice(0, wire.hasTextArguments ? -4 : -1).join(""));
      });
      const { ending } = await answerOf(provider);
      expect(ending.kind === "error" || ending.reason === "interrupted" || ending.reason === "other").toBe(true);
      expect(ending).not.toMatchObject({ reason: "tool-calls" });
    });

    test("a stream that stalls is left at the time limit for silence", async () => {
      const frames = wire.frames({ ...SAID, pieces: [{ kind: "text", text: "This is a longer answer than one piece." }] });
      let isClosed = false;
      const { provider, requests } = await serve(
        (response) => {
          response.on("close", () => (isClosed = true));
          open(response);
          response.write(frames.slice(0, -3).join(""));
        },
        // Long enough for its first words to come through on a busy machine.
        { silenceMs: 3_000 },
      );
      const answer = await answerOf(provider);
      expect(answer.text).not.toBe("");
      expect(answer.ending).toMatchObject({ kind: "error", failure: { message: expect.stringContaining("silent for 3 seconds") as string } });
      expect(requests()).toBe(1);
      await expect.poll(() => isClosed).toBe(true);
    });

    test("a server that never answers is left at the same limit", async () => {
      const { provider } = await serve(() => undefined, { silenceMs: 200 });
      expect((await answerOf(provider)).ending).toMatchObject({ kind: "error", failure: { isRetryable: true, hasBegun: true } });
    });

    test("a stream of what is no JSON is an error, and no call comes of it", async () => {
      const { provider } = await serve((response) => {
        open(response);
        response.end(wire.brokenFrame);
      });
      const answer = await answerOf(provider);
      expect(answer.calls).toEqual([]);
      expect(answer.ending.kind).toBe("error");
    });

    test("a very long answer and a very long result pass whole", async () => {
      const long = "äöü \u{1F600} word ".repeat(20_000);
      const { provider, bodies } = await serve((response, request) => {
        open(response);
        const answer = request === 1 ? asking({ kind: "text", text: long }, call("call_1", '{"command":"ls"}')) : SAID;
        response.end(wire.frames(answer).join(""));
      });
      const answer = await answerOf(provider);
      expect(answer.text).toBe(long);
      await answerOf(provider, following(answer, { text: `[untrusted output]\n${long}` }));
      expect(wire.read(bodies[1]).results.map(({ text }) => text)).toEqual([`[untrusted output]\n${long}`]);
    });

    test("a result goes back as text, whether it failed or not, beside its images", async () => {
      const { provider, bodies } = await serve(says(asking(call("call_1", '{"command":"a"}'), call("call_2", '{"command":"b"}'))));
      const answer = await answerOf(provider);
      await answerOf(provider, following(answer, { text: "[untrusted output, failed]\nx", images: true, isError: true }));
      const { results } = wire.read(bodies[1]);
      expect(results.map(({ text }) => text)).toEqual(["[untrusted output, failed]\nx", "[untrusted output, failed]\nx"]);
      expect(results.flatMap(({ images }) => images)).toEqual([PNG]);
      expect(JSON.stringify(bodies[1]).split(PNG)).toHaveLength(2);
    });

    test("a person's image goes along with the words", async () => {
      const { provider, bodies } = await serve(says(SAID));
      await answerOf(provider, { ...FIRST_REQUEST, messages: [{ kind: "user", text: "What is this?", images: [{ mediaType: "image/png", base64: PNG }] }] });
      expect(wire.read(bodies[0]).userImages).toEqual([PNG]);
    });

    test.runIf(wire.hasSignedReasoning)("reasoning goes back with its signature, and not to another model", async () => {
      const answer = await askFor(asking({ kind: "reasoning", text: "Let me think.", signature: "c2lnbmVk" }, call("call_1", '{"command":"ls"}')));
      expect(answer.parts).toMatchObject([{ kind: "reasoning", text: "Let me think." }]);
      const next = following(answer, { text: "[untrusted output]\nx" });
      const { provider, bodies } = await serve(says(SAID));
      await answerOf(provider, next);
      expect(wire.read(bodies[0]).signatures).toEqual(["c2lnbmVk"]);
      const foreign: Message[] = JSON.parse(JSON.stringify(next.messages).replaceAll(provider.id, "another:model")) as Message[];
      await answerOf(provider, { ...next, messages: foreign });
      expect(wire.read(bodies[1]).signatures.filter((signature) => signature === "c2lnbmVk")).toEqual([]);
      expect(JSON.stringify(bodies[1])).not.toContain("Let me think.");
    });

    test("a tool's schema reaches the server as it is", async () => {
      const { provider, bodies } = await serve(says(SAID));
      await answerOf(provider);
      expect(wire.read(bodies[0]).toolSchema).toMatchObject({ type: "object", properties: { command: { type: "string" } }, required: ["command"] });
    });

    test("a result in a caller's shape is a call that the server is told to demand, and comes as the shape says", async () => {
      const value = { verdict: "sound", findings: [{ file: "a.ts", line: 3 }], note: null };
      const shape = z.strictObject({
        verdict: z.enum(["sound", "faulty"]),
        findings: z.array(z.strictObject({ file: z.string(), line: z.int().min(1) })),
        note: z.string().nullable(),
      });
      const { tool, given } = structuredOutput(shape);
      const inputSchema = toInputSchema(shape);
      const request = { ...FIRST_REQUEST, tools: [{ name: tool.name, description: tool.description, inputSchema }] };
      const { provider, bodies } = await serve(says(asking({ kind: "call", id: "call_1", name: tool.name, inputText: JSON.stringify(value) })));
      await answerOf(provider, request);
      const answer = await answerOf(provider, { ...request, mustCall: tool.name });
      expect(bodies.map((body) => wire.read(body).mustCall)).toEqual([null, tool.name]);
      expect(wire.read(bodies[1]).toolSchema).toEqual(inputSchema);
      const [prepared] = prepareCalls(answer.calls, { usedIds: new Set(), isCut: false });
      const decoded = decodeInput(tool, prepared?.part.input);
      expect(decoded).toEqual({ kind: "valid", input: value });
      await tool.execute(decoded.kind === "valid" ? decoded.input : {}, {} as ToolContext);
      expect(given()).toEqual(value);
    });

    test("the beginning of a conversation stays the same bytes from turn to turn, and is marked for a cache that wants marks", async () => {
      const { provider, bodies } = await serve(says(asking(call("call_1", '{"command":"ls"}'))));
      const answer = await answerOf(provider);
      await answerOf(provider, following(answer, { text: "[untrusted output]\nx" }));
      const { cacheMarks, isKept } = wire.read(bodies[1]);
      expect([null, 2]).toContain(cacheMarks);
      expect(isKept).toBe(false);
      const [first, second] = bodies.map((body) => JSON.stringify(body, (key, value: unknown) => (key === "cache_control" ? undefined : value)));
      const common = [...(first ?? "")].findIndex((character, index) => character !== second?.[index]);
      expect(first?.slice(0, common)).toContain("Go.");
    });
  });
}
