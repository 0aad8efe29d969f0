import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../../src/agent/events.ts";
import { MAX_WAITING_EVENTS, startAgentRun, type RunConnection } from "../../../src/app/library/agent-run.ts";
import type { AgentRunResult } from "../../../src/app/run/run.ts";
import { AgentError } from "../../../src/base/errors.ts";

/** As a run gives it, as far as it is looked at here. */
const ended = (runId: string, kind: "done" | "cancelled" = "done"): AgentRunResult => ({ runId, end: { kind } }) as AgentRunResult;
const turn = (number: number): AgentEvent => ({ runId: "run-test", atMs: 0, kind: "turn-start", turn: number });
const turnOf = (event: AgentEvent): number => (event.kind === "turn-start" ? event.turn : 0);
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve());
  });

describe("a run of an embedding program", () => {
  test("gives its events in order, ends when it is over, and then has its result", async () => {
    let isOver = false;
    const run = startAgentRun(async ({ runId, emit }) => {
      for (const number of [1, 2, 3]) {
        await Promise.resolve();
        void emit(turn(number));
      }
      await new Promise((resolve) => void setTimeout(resolve, 5));
      isOver = true;
      return ended(runId);
    });
    const turns: number[] = [];
    for await (const event of run) turns.push(turnOf(event));
    expect([turns, isOver]).toEqual([[1, 2, 3], true]);
    expect(await run.result).toMatchObject({ runId: run.id, end: { kind: "done" } });
  });

  test("is cancelled by leaving its events, and is over when they are left", async () => {
    let isClosed = false;
    const run = startAgentRun(async ({ runId, emit, signal }) => {
      void emit(turn(1));
      // It would end by itself, too, and then otherwise.
      await Promise.race([aborted(signal), new Promise((resolve) => void setTimeout(resolve, 3000))]);
      await new Promise((resolve) => void setTimeout(resolve, 5));
      isClosed = true;
      return ended(runId, signal.aborted ? "cancelled" : "done");
    });
    for await (const event of run) if (event.kind === "turn-start") break;
    expect(isClosed).toBe(true);
    expect((await run.result).end.kind).toBe("cancelled");
  });

  test("is over when the reader threw, whose error counts", async () => {
    let isClosed = false;
    const run = startAgentRun(async ({ emit, signal }) => {
      void emit(turn(1));
      await aborted(signal);
      isClosed = true;
      throw new AgentError("sandbox-unavailable", "It would not close.");
    });
    const reading = (async () => {
      for await (const event of run) throw new Error(`at turn ${String(turnOf(event))}`);
    })();
    await expect(reading).rejects.toThrow("at turn 1");
    expect(isClosed).toBe(true);
    await expect(run.result).rejects.toThrow("It would not close.");
  });

  test("tells whoever leaves it that it could not be closed", async () => {
    const run = startAgentRun(async ({ emit, signal }) => {
      void emit(turn(1));
      await aborted(signal);
      throw new AgentError("sandbox-unavailable", "It would not close.");
    });
    const reading = (async () => {
      for await (const event of run) if (event.kind === "turn-start") break;
    })();
    await expect(reading).rejects.toThrow("It would not close.");
  });

  test.each(["its own end", "the given signal"])("is cancelled by %s", async (how) => {
    const stop = new AbortController();
    const run = startAgentRun(async ({ runId, signal }) => {
      await aborted(signal);
      return ended(runId, "cancelled");
    }, stop.signal);
    if (how === "its own end") run.abort();
    else stop.abort();
    expect((await run.result).end.kind).toBe("cancelled");
  });

  test("hands on what a person says", async () => {
    const run = startAgentRun(({ runId, inbox }) => {
      expect([inbox.takeSteering(), inbox.takeFollowUps()]).toEqual([[], []]);
      return new Promise((resolve) => {
        setTimeout(() => {
          expect([inbox.takeSteering(), inbox.takeFollowUps()]).toEqual([[{ text: "Left." }], [{ text: "Then right." }]]);
          resolve(ended(runId));
        }, 1);
      });
    });
    run.steer("Left.");
    run.followUp("Then right.");
    await run.result;
  });

  test("waits for a slow reader: as many events wait as may, and no more begins until they are read", async () => {
    const made: number[] = [];
    const run = startAgentRun(async ({ runId, emit }) => {
      await Promise.resolve();
      for (let number = 1; number <= 3 * MAX_WAITING_EVENTS; number += 1) {
        made.push(number);
        await emit(turn(number));
      }
      return ended(runId);
    });
    let most = 0;
    let read = 0;
    for await (const event of run) {
      read += 1;
      expect(turnOf(event)).toBe(read);
      if (read % 50 === 0) await new Promise((resolve) => void setTimeout(resolve, 1));
      most = Math.max(most, made.length - read);
    }
    expect(read).toBe(3 * MAX_WAITING_EVENTS);
    expect(most).toBeGreaterThan(MAX_WAITING_EVENTS / 2);
    expect(most).toBeLessThanOrEqual(MAX_WAITING_EVENTS);
  });

  test("is held up by nobody who does not read; who comes late gets the last of what happened", async () => {
    const run = startAgentRun(async ({ runId, emit }) => {
      for (let number = 1; number <= 3 * MAX_WAITING_EVENTS; number += 1) await emit(turn(number));
      return ended(runId);
    });
    await run.result;
    const turns: number[] = [];
    for await (const event of run) turns.push(turnOf(event));
    expect(turns).toEqual(Array.from({ length: MAX_WAITING_EVENTS }, (_, index) => 2 * MAX_WAITING_EVENTS + index + 1));
  });

  test("is held up no longer by a reader who left", async () => {
    const last = Promise.withResolvers<void>();
    const run = startAgentRun(async ({ runId, emit }) => {
      await Promise.resolve();
      for (let number = 1; number <= 2 * MAX_WAITING_EVENTS; number += 1) await emit(turn(number));
      last.resolve();
      return ended(runId);
    });
    for await (const event of run) if (turnOf(event) === 1) break;
    await expect(last.promise).resolves.toBeUndefined();
  });

  test("gives its events once", async () => {
    const run = startAgentRun(({ runId }) => Promise.resolve(ended(runId)));
    const read = async () => {
      for await (const event of run) turnOf(event);
    };
    await read();
    await expect(read()).rejects.toMatchObject({ name: "AgentError", code: "usage" });
  });

  test.each([
    ["as it is", new AgentError("bad-policy", "It is not to be read."), "bad-policy"],
    ["as a fault, with its cause", new TypeError("undefined is no function"), "broken-invariant"],
  ] as const)("throws what it failed with %s: to whoever reads, and in place of its result", async (_how, fault, code) => {
    const run = startAgentRun(async ({ emit }: RunConnection) => {
      void emit(turn(1));
      await Promise.resolve();
      throw fault;
    });
    const turns: number[] = [];
    const reading = (async () => {
      for await (const event of run) turns.push(turnOf(event));
    })();
    await expect(reading).rejects.toMatchObject({ name: "AgentError", code });
    expect(turns).toEqual([1]);
    const thrown: unknown = await run.result.catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(AgentError);
    expect(code === "bad-policy" ? thrown : (thrown as AgentError).cause).toBe(fault);
  });
});
