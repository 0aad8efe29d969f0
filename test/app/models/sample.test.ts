import { expect, test } from "vitest";
import type { SpendingMeter } from "../../../src/agent/spending.ts";
import { sampling } from "../../../src/app/models/sample.ts";
import type { ModelEvent, ModelProvider, ModelRequest, Usage } from "../../../src/providers/contract/provider.ts";

const REQUEST = {
  system: "You rhyme.",
  messages: [{ role: "user", text: "Write." } as const, { role: "assistant", text: "A" } as const, { role: "user", text: "On." } as const],
  maxTokens: 100,
};
const USAGE: Usage = { inputTokens: 30, outputTokens: 5, cachedInputTokens: 0, isEstimated: false };

function model(events: readonly ModelEvent[]): ModelProvider & { readonly asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  return {
    id: "scripted",
    isScripted: true,
    asked,
    async *stream(request) {
      asked.push(request);
      yield* events;
      await Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}

const never = new AbortController().signal;

function sampled(events: readonly ModelEvent[], { spent = null, allowed = null }: { readonly spent?: string | null; readonly allowed?: number | null } = {}) {
  const provider = model(events);
  const paid: Usage[] = [];
  const spending: SpendingMeter = { reserve: () => ({ kind: "reserved", maxOutputTokens: allowed, settle: (usage) => void paid.push(usage) }) };
  return { provider, paid, sample: sampling({ provider, model: () => "m", spending, isSpent: () => spent }) };
}

const SAID: readonly ModelEvent[] = [
  { kind: "text-delta", text: "a rhyme" },
  { kind: "usage", usage: USAGE },
  { kind: "finish", reason: "stop" },
];

test("a model that writes for a server reads what the server gave, has no tools, writes no more than is left, and is paid", async () => {
  const { provider, paid, sample } = sampled(SAID, { allowed: 50 });
  expect(await sample(REQUEST, never)).toEqual({ text: "a rhyme", model: "m", isWhole: true });
  expect(provider.asked).toEqual([
    {
      system: expect.stringMatching(/you have no tools, and know nothing of whoever runs it\.\n\nYou rhyme\.$/u) as string,
      messages: [
        { kind: "user", text: "Write." },
        { kind: "assistant", parts: [{ kind: "text", text: "A" }] },
        { kind: "user", text: "On." },
      ],
      tools: [],
      maxOutputTokens: 50,
    },
  ]);
  expect(paid).toEqual([USAGE]);
});

test("it is not asked, not when nothing is left, and what a model that failed took is paid all the same", async () => {
  const over = sampled(SAID, { spent: "all tokens of the run are spent" });
  expect(await over.sample(REQUEST, never)).toEqual({ problem: "all tokens of the run are spent" });
  expect(over.provider.asked).toEqual([]);
  const provider = model(SAID);
  const refusing = sampling({ provider, model: () => "m", spending: { reserve: () => ({ kind: "spent", reason: "nothing is left" }) }, isSpent: () => null });
  expect(await refusing(REQUEST, never)).toEqual({ problem: "nothing is left" });
  expect(provider.asked).toEqual([]);
  const failing = sampled([
    { kind: "usage", usage: USAGE },
    { kind: "error", failure: { code: "provider-failed", message: "down", isRetryable: false } },
  ]);
  expect(await failing.sample(REQUEST, never)).toEqual({ problem: "the model did not answer" });
  expect(failing.paid).toEqual([USAGE]);
  const calling = sampled([{ kind: "finish", reason: "tool-calls" }]);
  expect(await calling.sample(REQUEST, never)).toEqual({ problem: "the model did not come to an end" });
});
