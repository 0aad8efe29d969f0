import type { LanguageModelV4 } from "@ai-sdk/provider";
import { AgentError } from "../../base/errors.ts";
import { CANCELLED, orCancelled, waitFor } from "../contract/cancellation.ts";
import { toFailure } from "./failure.ts";
import { type Dialect, toCallOptions } from "./prompt.ts";
import type { ModelEvent, ModelFailure, ModelProvider, ModelRequest } from "../contract/provider.ts";
import { createPartReader } from "./stream-part.ts";

const MAX_ATTEMPTS = 4;
const FIRST_WAIT_MS = 500;
/** A server that says nothing for this long is treated as gone. */
const SILENCE_LIMIT_MS = 300_000;
/** A server that keeps an answer open after its end is not waited for. */
const DRAIN_LIMIT_MS = 500;
/** What the client says by itself before a server has said anything. */
const BEFORE_THE_ANSWER: ReadonlySet<string> = new Set(["stream-start", "raw"]);

export type ProviderSettings = {
  readonly id: string;
  readonly model: LanguageModelV4;
  readonly dialect: Dialect;
  /** Values that must not appear in a message. */
  readonly secrets: readonly string[];
  /** For tests: waits without waiting. */
  readonly wait?: typeof waitFor;
  /** The longest pause before another attempt; a server that asks for more is not asked again. Absent: whatever it asks for, a minute at most. */
  readonly maxPauseMs?: number;
  /** How long a server may say nothing; absent: five minutes. */
  readonly silenceMs?: number;
};

/**
 * A provider over a language model of the AI SDK. A rate limit, an overload or a network failure is retried with backoff, until the server has begun to
 * answer. After that it is never retried: what was begun is paid for, and counted once.
 */
export function createLanguageModelProvider(settings: ProviderSettings): ModelProvider {
  const wait = settings.wait ?? waitFor;
  return {
    id: settings.id,
    isScripted: false,
    async *stream(request, signal) {
      for (let attempt = 1; ; attempt += 1) {
        let last: Extract<ModelEvent, { kind: "error" }> | null = null;
        for await (const event of streamOnce(settings, request, signal)) {
          if (event.kind === "error") {
            last = event;
            break;
          }
          yield event;
        }
        if (last === null) return;
        if (last.failure.hasBegun === true || !last.failure.isRetryable || attempt === MAX_ATTEMPTS) {
          yield last;
          return;
        }
        if ((last.failure.retryAfterMs ?? 0) > (settings.maxPauseMs ?? Number.POSITIVE_INFINITY)) {
          yield last;
          return;
        }
        const pauseMs = last.failure.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
        if ((await wait(pauseMs, signal)) === CANCELLED) {
          yield { kind: "finish", reason: "cancelled" };
          return;
        }
      }
    },
    close: () => Promise.resolve(),
  };
}

async function* streamOnce(settings: ProviderSettings, request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
  const { silenceMs = SILENCE_LIMIT_MS } = settings;
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMs);
  const stop = AbortSignal.any([signal, silence.signal]);
  let hasBegun = false;
  const failed = (failure: ModelFailure): ModelEvent => ({ kind: "error", failure: hasBegun ? { ...failure, hasBegun } : failure });
  const ending = (): ModelEvent =>
    signal.aborted
      ? { kind: "finish", reason: "cancelled" }
      : // It may have been at work all the time.
        {
          kind: "error",
          failure: {
            code: "provider-failed",
            message: `The model's server was silent for ${String(silenceMs / 1000)} seconds.`,
            isRetryable: true,
            hasBegun: true,
          },
        };
  try {
    const options = toCallOptions(request, settings.id, settings.dialect);
    const opened = await orCancelled(settings.model.doStream({ ...options, abortSignal: stop }), stop);
    if (opened === CANCELLED) {
      yield ending();
      return;
    }
    const reader = opened.stream.getReader();
    const readPart = createPartReader(settings.id);
    for (;;) {
      const next = await orCancelled(reader.read(), stop);
      if (next === CANCELLED || stop.aborted) {
        // An abort arrives from the AI SDK as an error part, so the signal is looked at first.
        yield ending();
        return;
      }
      timer.refresh();
      if (next.done) break;
      if (next.value.type === "error") {
        yield failed(toFailure(next.value.error, settings.secrets));
        return;
      }
      hasBegun ||= !BEFORE_THE_ANSWER.has(next.value.type);
      const events = readPart(next.value);
      if (events.some((event) => event.kind === "finish")) await drain(reader, stop);
      yield* events;
      if (events.some((event) => event.kind === "finish")) return;
    }
    yield failed({ code: "provider-failed", message: "The model's answer stopped in the middle.", isRetryable: true });
  } catch (error) {
    if (stop.aborted) {
      yield ending();
      return;
    }
    if (error instanceof AgentError && error.code === "broken-invariant") throw error;
    // The AI SDK throws for whatever a server or the network does; all of it becomes one event.
    yield failed(toFailure(error, settings.secrets));
  } finally {
    clearTimeout(timer);
    // Ends the connection when the stream is left before its end.
    silence.abort();
  }
}

/** Reads what follows the end of an answer, which is nothing or a few bytes, so that the connection serves the next turn too. */
async function drain(reader: ReadableStreamDefaultReader<unknown>, stop: AbortSignal): Promise<void> {
  const patience = AbortSignal.any([stop, AbortSignal.timeout(DRAIN_LIMIT_MS)]);
  for (;;) {
    const next = await orCancelled(reader.read(), patience);
    if (next === CANCELLED || next.done) return;
  }
}
