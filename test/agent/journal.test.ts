import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/agent/events.ts";
import { continuationOf, type RunStep } from "../../src/agent/journal.ts";
import { callEnd, play, resultTexts } from "../support/agent-run.ts";

const CALL = (command: string) => ({ tool: "shell", input: { command } });
const TURNS = [
  { say: "One.", calls: [CALL("a"), CALL("b"), CALL("c")] },
  { when: { "result-contains": "answer to c" }, say: "Over." },
];

const answering =
  (parkAt: string | null, seen: string[] = []) =>
  async (call: { input: unknown }) => {
    const { command } = call.input as { command: string };
    seen.push(command);
    await Promise.resolve();
    return command === parkAt ? { ...callEnd("waiting", "parked"), approvalId: "approval-1" } : callEnd(`answer to ${command}`);
  };

test("a run that was stopped behind its last answer is done, and the model is not asked again", async () => {
  const first = await play(TURNS, answering(null));
  const second = await play([{ say: "Asked again." }], answering(null), { continuation: continuationOf("Go.", first.steps, "[warder] It goes on.") });
  expect(second.end).toMatchObject({ kind: "done", turns: 2, text: "Over.", usage: first.end.usage });
  expect(second.steps).toEqual([]);
});

describe("a run that is parked", () => {
  test("ends before the call that waits, with what was done before it kept, and goes on there", async () => {
    const first = await play(TURNS, answering("b"));
    expect(first.end).toMatchObject({ kind: "parked", approvalId: "approval-1", turns: 1 });
    expect(first.steps.map((step) => step.kind)).toEqual(["message", "result"]);
    const seen: string[] = [];
    const continuation = continuationOf("Go.", first.steps, "[warder] It goes on.");
    const second = await play(TURNS, answering(null, seen), { continuation });
    expect(seen).toEqual(["b", "c"]);
    expect(second.end).toMatchObject({ kind: "done", turns: 2, text: "Over." });
    expect(resultTexts(second.messages).map((text) => text.split("\n")[1])).toEqual(["answer to a", "answer to b", "answer to c"]);
    expect(second.messages.map((message) => message.kind)).toEqual(["user", "assistant", "tool", "user", "assistant"]);
    expect(second.end.usage.inputTokens).toBeGreaterThan(first.end.usage.inputTokens);
  });

  test("parks again where the same call still waits, and loses nothing", async () => {
    const first = await play(TURNS, answering("b"));
    const second = await play(TURNS, answering("c"), { continuation: continuationOf("Go.", first.steps) });
    const third = await play(TURNS, answering(null), { continuation: continuationOf("Go.", [...first.steps, ...second.steps]) });
    expect([second.end.kind, third.end.kind]).toEqual(["parked", "done"]);
  });

  test("its limits go on where they were", async () => {
    const first = await play(TURNS, answering("b"));
    const limits = { turns: 1, tokens: 1_000_000, minutes: 10 };
    const second = await play(TURNS, answering(null), { continuation: continuationOf("Go.", first.steps), limits });
    expect(second.end).toMatchObject({ kind: "limit", limit: "turns" });
    const poor = await play(TURNS, answering(null), { continuation: continuationOf("Go.", first.steps), limits: { ...limits, turns: 9, tokens: 1 } });
    expect(poor.end).toMatchObject({ kind: "limit", limit: "tokens", turns: 1 });
    const used = continuationOf(
      "Go.",
      first.steps.map((step): RunStep => ({ ...step, elapsedMs: 600_000 })),
    );
    const late = await play(TURNS, answering(null), { continuation: used, limits: { ...limits, turns: 9 } });
    expect(late.end).toMatchObject({ kind: "limit", limit: "minutes" });
  });

  test("a step that cannot be kept ends the run, and nothing further is done", async () => {
    const seen: string[] = [];
    const answer = answering(null, seen);
    let steps = 0;
    const full = () => {
      steps += 1;
      if (steps === 2) throw new Error("the disk is full");
    };
    await expect(play(TURNS, answer, { onStep: full })).rejects.toThrow("the disk is full");
    expect(seen).toEqual(["a"]);
  });

  test("goes on with a call whatever its provider calls it", () => {
    const names = ["constructor", "toString", "__proto__"];
    const parts = names.map((callId) => ({ kind: "tool-call", callId, name: "shell", input: {} }) as const);
    const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, isEstimated: false };
    const problems = JSON.parse('{"__proto__":"cut"}') as Readonly<Record<string, string>>;
    const { calls } = continuationOf("Go.", [{ kind: "message", parts, text: "", usage, problems, elapsedMs: 1 }]);
    expect(calls.map(({ part, problem }) => [part.callId, problem])).toEqual([
      ["constructor", null],
      ["toString", null],
      ["__proto__", "cut"],
    ]);
  });
});

test("an answer that is not whole was asked for and paid, and counts where the run goes on", async () => {
  const cancelled = new AbortController();
  const onEvent = (event: AgentEvent): void => {
    if (event.kind === "message-delta" && event.text.includes("Two")) cancelled.abort();
  };
  const turns = [{ say: "One.", calls: [CALL("a")] }, { say: "Two." }];
  const { end, steps } = await play(turns, answering(null), { signal: cancelled.signal, onEvent });
  expect(end).toMatchObject({ kind: "cancelled", turns: 2 });
  const continuation = continuationOf("Go.", steps);
  expect(continuation).toMatchObject({ turns: 2, usage: end.usage });
  expect(continuation.messages.map((message) => message.kind)).toEqual(["user", "assistant", "tool"]);
});
