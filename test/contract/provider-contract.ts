import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Message } from "../../src/providers/contract/message.ts";
import type { ModelEvent, ModelProvider } from "../../src/providers/contract/provider.ts";
import { collect, FIRST_REQUEST, textOf } from "../support/scripted-model.ts";

/** The conversation that every server of this suite plays: two calls, then an answer once both results are there. */
export const CONTRACT_TURNS = [
  {
    say: "Let me look, \u00e4\u{1F600}.",
    calls: [
      { tool: "shell", input: { command: "ls -l" } },
      { tool: "shell", input: { command: "echo 'a \"b\"\n'" } },
    ],
  },
  { when: { "result-contains": ["README", "second"] }, say: "There is a README." },
];

/** What every provider does, whatever its protocol. `connect` opens it on a server that plays {@link CONTRACT_TURNS}. */
export function describeProvider(name: string, connect: () => Promise<ModelProvider>): void {
  describe(`${name} as a provider`, () => {
    let provider: ModelProvider;
    beforeAll(async () => {
      provider = await connect();
    });
    afterAll(() => provider.close());
    const never = new AbortController().signal;
    const calls = (events: readonly ModelEvent[]) => events.filter((event) => event.kind === "tool-call");

    test("streams text in pieces, then whole calls, usage and one finish", async () => {
      const events = await collect(provider.stream(FIRST_REQUEST, never));
      expect(textOf(events)).toBe(CONTRACT_TURNS[0]?.say);
      expect(events.filter((event) => event.kind === "text-delta").length).toBeGreaterThan(1);
      expect(calls(events).map((call) => [call.name, JSON.parse(call.inputText) as unknown])).toEqual([
        ["shell", { command: "ls -l" }],
        ["shell", { command: "echo 'a \"b\"\n'" }],
      ]);
      expect(new Set(calls(events).map((call) => call.callId)).size).toBe(2);
      const usage = events.find((event) => event.kind === "usage")?.usage;
      expect(usage?.inputTokens).toBeGreaterThan(0);
      expect(usage?.outputTokens).toBeGreaterThan(0);
      expect(events.at(-1)).toEqual({ kind: "finish", reason: "tool-calls" });
    });

    test("sends every result back to its call and goes on", async () => {
      const first = calls(await collect(provider.stream(FIRST_REQUEST, never)));
      const results = ["README", "second"].map((text, index) => ({
        kind: "tool-result" as const,
        callId: first[index]?.callId ?? "",
        name: "shell",
        text: `[untrusted output]\n${text}`,
        isError: index === 1,
      }));
      const messages: Message[] = [
        ...FIRST_REQUEST.messages,
        {
          kind: "assistant",
          parts: [
            { kind: "text", text: CONTRACT_TURNS[0]?.say ?? "" },
            ...first.map((call) => ({
              kind: "tool-call" as const,
              callId: call.callId,
              name: call.name,
              input: JSON.parse(call.inputText) as unknown,
              ...(call.carry === undefined ? {} : { carry: call.carry }),
            })),
          ],
        },
        { kind: "tool", results },
      ];
      const events = await collect(provider.stream({ ...FIRST_REQUEST, messages }, never));
      expect(textOf(events)).toBe("There is a README.");
      expect(events.at(-1)).toEqual({ kind: "finish", reason: "stop" });
    });

    test("ends with one error when the server refuses, and does not throw", async () => {
      const messages: Message[] = [
        ...FIRST_REQUEST.messages,
        { kind: "assistant", parts: [{ kind: "text", text: "a" }] },
        { kind: "user", text: "b" },
        { kind: "assistant", parts: [{ kind: "text", text: "c" }] },
        { kind: "user", text: "d" },
      ];
      const events = await collect(provider.stream({ ...FIRST_REQUEST, messages }, never));
      expect(events).toMatchObject([{ kind: "error", failure: { isRetryable: false, message: expect.stringContaining("the script has 2 turns") } }]);
    });

    test("says cancelled, and nothing else, when it was aborted before", async () => {
      expect(await collect(provider.stream(FIRST_REQUEST, AbortSignal.abort()))).toEqual([{ kind: "finish", reason: "cancelled" }]);
    });

    test("stops in the middle when it is aborted there", async () => {
      const stop = new AbortController();
      const events: ModelEvent[] = [];
      for await (const event of provider.stream(FIRST_REQUEST, stop.signal)) {
        events.push(event);
        stop.abort();
      }
      expect(events.at(-1)).toEqual({ kind: "finish", reason: "cancelled" });
      expect(events.some((event) => event.kind === "tool-call")).toBe(false);
    });
  });
}
