import * as fc from "fast-check";
import { expect, test } from "vitest";
import { AgentError } from "../../src/base/errors.ts";
import type { CallEnd } from "../../src/gate/gate.ts";
import { brokenPairs, callEnd, play } from "../support/agent-run.ts";

const behaviour = fc.constantFrom(
  "executed",
  "denied",
  "refused",
  "invalid",
  "unknown-tool",
  "budget",
  "cancelled",
  "fault",
  "throws",
  "aborts",
  "aborts-and-waits",
);
const call = fc.record({
  input: fc.oneof(fc.record({ command: fc.string() }), fc.constant(undefined)),
  raw: fc.option(fc.constantFrom("{", "", "null", '"\\ud800"', "[1e999]"), { nil: undefined }),
});
const turn = fc.array(call, { minLength: 1, maxLength: 5 });

test("whatever happens, every call is answered exactly once, in order, and runs at most once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { minLength: 1, maxLength: 4 }),
      fc.array(behaviour, { minLength: 1, maxLength: 8 }),
      fc.constantFrom("anthropic", "openai"),
      async (turns, behaviours, protocol) => {
        const stop = new AbortController();
        const ran: string[] = [];
        const script = [
          ...turns.map((calls) => ({
            calls: calls.map(({ input, raw }) => (raw === undefined ? { tool: "shell", ...(input ? { input } : {}) } : { tool: "shell", "raw-input": raw })),
          })),
          { say: "Done." },
        ];
        const { end, messages, events } = await play(
          script,
          async ({ id }) => {
            const next = behaviours[ran.length % behaviours.length] ?? "executed";
            ran.push(id);
            if (next === "throws") throw new AgentError("store-unavailable", "No store.");
            if (next.startsWith("aborts")) stop.abort();
            if (next === "aborts-and-waits") await new Promise((resolve) => setTimeout(resolve, 5));
            return callEnd(`${id} ${ran.length}`, next.startsWith("aborts") ? "cancelled" : (next as CallEnd["kind"]));
          },
          { signal: stop.signal, protocol },
        );
        expect(brokenPairs(messages)).toEqual([]);
        expect(new Set(ran).size).toBe(ran.length);
        const answered = events.flatMap((event) => (event.kind === "tool-result" ? [event.callId] : []));
        expect(new Set(answered).size).toBe(answered.length);
        const wanted = messages.flatMap((message) =>
          message.kind === "assistant" ? message.parts.flatMap((part) => (part.kind === "tool-call" ? [part.callId] : [])) : [],
        );
        expect(answered).toEqual(wanted);
        expect(["done", "failed", "budget", "cancelled", "limit"]).toContain(end.kind);
        // A request that a real server would refuse shows as a failure of the provider.
        expect(end).not.toMatchObject({ kind: "failed", code: "provider-failed" });
      },
    ),
    { numRuns: 60 },
  );
});
