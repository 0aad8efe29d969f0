import type { ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ModelEvent, ModelProvider } from "../../src/providers/contract/provider.ts";
import { type ModelSwitch, withFallbacks } from "../../src/providers/fallback.ts";
import { parseModelNames } from "../../src/providers/contract/model-name.ts";
import { selectModels } from "../../src/providers/select-model.ts";
import { anthropicMessages } from "../contract/wires/anthropic.ts";
import { chatCompletions } from "../contract/wires/openai-chat.ts";
import type { Wire, WireAnswer } from "../contract/wires/wire.ts";
import { startHttpServer } from "../support/http-server.ts";
import { collect, FIRST_REQUEST, textOf } from "../support/scripted-model.ts";

const never = new AbortController().signal;
const said = (text: string): WireAnswer => ({ pieces: [{ kind: "text", text }], ending: "stop", usage: { input: 100, cached: 0, output: 9 } });

type Write = (response: ServerResponse, wire: Wire) => void;

const says =
  (text: string): Write =>
  (response, wire) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(wire.frames(said(text)).join(""));
  };
const fails =
  (status: number): Write =>
  (response, wire) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(wire.failure(status, "no")));
  };

type Place = { readonly provider: ModelProvider; write: Write; requests: number };

/** A model on a server that writes as `write` says at the time. */
async function model(wire: Wire, write: Write, silenceMs = 60_000): Promise<Place> {
  const server = await startHttpServer((request, response) => {
    request.resume();
    place.requests += 1;
    place.write(response, wire);
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const place: Place = { provider: wire.connect(server.url, "sk-test-1234567890", { wait: () => Promise.resolve(), silenceMs }), write, requests: 0 };
  return place;
}

async function two(first: Write, second: Write, silenceMs?: number) {
  const [one, other] = [await model(anthropicMessages, first, silenceMs), await model(chatCompletions, second)];
  const switches: ModelSwitch[] = [];
  let nowMs = 0;
  const both = withFallbacks([one.provider, other.provider], { onSwitch: (change) => switches.push(change), monotonicMs: () => nowMs });
  return { one, other, both, switches, ask: (): Promise<ModelEvent[]> => collect(both.stream(FIRST_REQUEST, never)), pass: (ms: number) => (nowMs += ms) };
}

describe("a model behind another answers", () => {
  test.each([[429], [500], [503], [529]])("where the first answers %i, and is told of as a switch", async (status) => {
    const { one, other, both, switches, ask } = await two(fails(status), says("Hi."));
    expect(textOf(await ask())).toBe("Hi.");
    expect([one.requests, other.requests]).toEqual([4, 1]);
    expect(switches).toEqual([{ from: one.provider.id, to: other.provider.id, reason: expect.stringContaining(String(status)) as string }]);
    expect(both.answering()).toBe(other.provider.id);
  });

  test("where the connection breaks before anything was heard, and where it cannot be made", async () => {
    const { switches, ask } = await two((response) => response.destroy(), says("Hi."));
    expect(textOf(await ask())).toBe("Hi.");
    expect(switches).toHaveLength(1);
  });

  test("where the first says nothing for too long; what that may have cost is counted", async () => {
    const { one, switches, ask } = await two(() => undefined, says("Hi."), 200);
    const events = await ask();
    expect(textOf(events)).toBe("Hi.");
    expect(one.requests).toBe(1);
    expect(switches).toMatchObject([{ reason: expect.stringContaining("silent") as string }]);
    const usage = events.find((event) => event.kind === "usage")?.usage;
    expect(usage).toMatchObject({ outputTokens: 9, isEstimated: true });
    expect(usage?.inputTokens).toBeGreaterThan(150);
  });

  test("from then on, and the first is tried again after five minutes", async () => {
    const { one, other, switches, ask, pass } = await two(fails(529), says("Hi."));
    await ask();
    one.write = says("I am back.");
    expect(textOf(await ask())).toBe("Hi.");
    expect([one.requests, other.requests]).toEqual([4, 2]);
    pass(300_000);
    expect(textOf(await ask())).toBe("I am back.");
    expect(switches.map(({ to }) => to)).toEqual([other.provider.id, one.provider.id]);
  });
});

describe("no other model is asked", () => {
  test("after the first word of an answer", async () => {
    const { other, switches, ask } = await two((response, wire) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(wire.frames(said("This is a longer answer than one piece.")).slice(0, -3).join(""), () => setTimeout(() => response.destroy(), 200));
    }, says("Hi."));
    const events = await ask();
    expect(textOf(events)).not.toContain("Hi.");
    expect(events.at(-1)).toMatchObject({ kind: "error", failure: { hasBegun: true } });
    expect(other.requests).toBe(0);
    expect(switches).toEqual([]);
  });

  test.each([[400], [401], [403], [404]])("where %i says that the caller is at fault", async (status) => {
    const { other, ask } = await two(fails(status), says("Hi."));
    expect((await ask()).at(-1)).toMatchObject({ kind: "error", failure: { isRetryable: false } });
    expect(other.requests).toBe(0);
  });

  test("where the model refuses to answer", async () => {
    const { other, ask } = await two((response, wire) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(wire.frames({ ...said(""), pieces: [], ending: "refusal" }).join(""));
    }, says("Hi."));
    expect((await ask()).at(-1)).toEqual({ kind: "finish", reason: "content-filter" });
    expect(other.requests).toBe(0);
  });

  test("where the run was cancelled", async () => {
    const { both, other } = await two(() => undefined, says("Hi."));
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    expect(await collect(both.stream(FIRST_REQUEST, stop.signal))).toEqual([{ kind: "finish", reason: "cancelled" }]);
    expect(other.requests).toBe(0);
  });

  test("where the switch cannot be recorded", async () => {
    const [one, other] = [await model(anthropicMessages, fails(529)), await model(chatCompletions, says("Hi."))];
    const both = withFallbacks([one.provider, other.provider], {
      onSwitch: () => {
        throw new Error("The log is full.");
      },
      monotonicMs: () => 0,
    });
    await expect(collect(both.stream(FIRST_REQUEST, never))).rejects.toThrow("The log is full.");
    expect(other.requests).toBe(0);
  });
});

test("all models of a list fail: the last one's failure is told", async () => {
  const { ask } = await two(fails(529), fails(503));
  expect((await ask()).at(-1)).toMatchObject({ kind: "error", failure: { message: expect.stringContaining("503") as string } });
});

test("a list of models is taken apart at its commas, and a script keeps those of its own", () => {
  expect(parseModelNames("anthropic:a, openai:b,scripted:c,d.yaml")).toEqual([
    { provider: "anthropic", name: "a" },
    { provider: "openai", name: "b" },
    { provider: "scripted", name: "c,d.yaml" },
  ]);
  expect(() => parseModelNames("anthropic:a,anthropic:a")).toThrow("twice");
  expect(() => parseModelNames(Array.from({ length: 9 }, (_unused, index) => `openai:${index}`).join(","))).toThrow("8 at most");
});

test("a model of the list that cannot be connected to is told before anything is asked", async () => {
  const sources = { env: { ANTHROPIC_API_KEY: "sk-1" }, readScript: () => Promise.reject(new Error("None.")) };
  await expect(selectModels(parseModelNames("anthropic:a,openai:b"), sources)).rejects.toThrow("OPENAI_API_KEY");
});
