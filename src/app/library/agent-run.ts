import type { AgentEvent } from "../../agent/events.ts";
import { createInbox, type Inbox } from "../../agent/inbox.ts";
import { AgentError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import type { AgentRunResult } from "../run/run.ts";

/**
 * A run that goes on. Iterating over it gives its events, once. The iteration ends when the run is over and its sandbox closed, and throws what the run
 * failed with. Leaving it early cancels the run, and waits until nothing of it is left.
 */
export type AgentRun<Output = null> = AsyncIterable<AgentEvent> & {
  readonly id: string;
  /** How it ended. Rejects with an `AgentError` where it could not begin, or failed by a fault; whatever a model, a policy or a person ended is a value. */
  readonly result: Promise<AgentRunEnd<Output>>;
  /** Says something to the model before it goes on: calls that were not begun are skipped for it. */
  steer(text: string): void;
  /** Says something to the model once it is done. */
  followUp(text: string): void;
  /** Cancels the run. Once `result` is settled, nothing of it is left. */
  abort(): void;
};

/** `output`: in the shape that the program wanted; null: it wanted none, or the run ended before it. */
export type AgentRunEnd<Output> = Omit<AgentRunResult, "output"> & { readonly output: Output | null };

/** What a run is given that it goes on with. */
export type RunConnection = {
  readonly runId: string;
  readonly inbox: Inbox;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => Promise<void> | undefined;
};

/** As many events wait for a reader before the run waits for them, too. Of more, where nobody reads yet, the oldest are dropped. */
export const MAX_WAITING_EVENTS = 256;

/** Starts `work` as a run that a program reads, talks to and stops. `signal` cancels it. */
export function startAgentRun<Output = null>(work: (connection: RunConnection) => Promise<AgentRunResult>, signal?: AbortSignal): AgentRun<Output> {
  const id = newId("run");
  const stop = new AbortController();
  const inbox = createInbox();
  const waiting: AgentEvent[] = [];
  let arrival = Promise.withResolvers<void>();
  let caughtUp = Promise.withResolvers<void>();
  let reading: "not-yet" | "now" | "no-more" = "not-yet";
  let isOver = false;

  const emit = (event: AgentEvent): Promise<void> | undefined => {
    if (reading === "no-more") return undefined;
    waiting.push(event);
    arrival.resolve();
    if (waiting.length < MAX_WAITING_EVENTS) return undefined;
    if (reading === "now") return caughtUp.promise;
    if (waiting.length > MAX_WAITING_EVENTS) waiting.shift();
    return undefined;
  };

  const outcome = withAgentError(work({ runId: id, inbox, emit, signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]) }));
  const over = outcome.then(
    () => undefined,
    () => undefined,
  );
  void over.then(() => {
    isOver = true;
    arrival.resolve();
  });
  // What the schema of its output gave is of the schema's type.
  const result = over.then(() => outcome) as Promise<AgentRunEnd<Output>>;

  async function* read(): AsyncGenerator<AgentEvent, void, undefined> {
    if (reading !== "not-yet") throw new AgentError("usage", "The events of a run are read once.", { remedy: "Give them on to whoever else wants them." });
    reading = "now";
    // Whoever reads is told here what it failed with, and need not ask for the result.
    result.catch(() => undefined);
    try {
      for (;;) {
        const event = waiting.shift();
        if (event !== undefined) {
          if (waiting.length < MAX_WAITING_EVENTS) {
            caughtUp.resolve();
            caughtUp = Promise.withResolvers();
          }
          yield event;
        } else if (isOver) break;
        else {
          arrival = Promise.withResolvers();
          await arrival.promise;
        }
      }
    } finally {
      reading = "no-more";
      waiting.length = 0;
      stop.abort();
      caughtUp.resolve();
      await outcome;
    }
  }

  return { id, result, steer: inbox.steer, followUp: inbox.followUp, abort: () => stop.abort(), [Symbol.asyncIterator]: read };
}

/** What a program catches is of one kind. */
async function withAgentError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AgentError) throw error;
    const problem = error instanceof Error ? error.message : "unknown fault";
    throw new AgentError("broken-invariant", `The run failed by a fault: ${problem}`, { cause: error });
  }
}
