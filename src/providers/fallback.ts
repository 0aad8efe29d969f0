import type { ModelFailure, ModelProvider, ModelRequest } from "./contract/provider.ts";

/** Another model answers from now on. `reason`: what the one before failed with, for a person. */
export type ModelSwitch = { readonly from: string; readonly to: string; readonly reason: string };

/** Several models as one. */
export type FallbackProvider = ModelProvider & {
  /** The model that gives the next words, or gave the last. */
  readonly answering: () => string;
};

/** After this time the first model is tried again. */
const RETURN_AFTER_MS = 300_000;

/**
 * Asks the first model, and the next one where it fails by no fault of the caller (rate limit, fault or overload of its server, network) and before
 * the first word of an answer. The one that answered is asked further. `onSwitch` is told before the next model is asked; what it throws ends the answer.
 */
export function withFallbacks(
  models: readonly [ModelProvider, ...ModelProvider[]],
  { onSwitch, monotonicMs }: { readonly onSwitch: (change: ModelSwitch) => void; readonly monotonicMs: () => number },
): FallbackProvider {
  const [first] = models;
  let answering = first;
  let switchedAtMs = 0;
  const change = (to: ModelProvider, reason: string): void => {
    onSwitch({ from: answering.id, to: to.id, reason });
    answering = to;
    switchedAtMs = monotonicMs();
  };
  return {
    id: models.map(({ id }) => id).join(","),
    isScripted: models.some(({ isScripted }) => isScripted),
    answering: () => answering.id,
    async *stream(request, signal) {
      if (answering !== first && monotonicMs() - switchedAtMs >= RETURN_AFTER_MS) change(first, "it is tried again after five minutes");
      let lostTokens = 0;
      for (;;) {
        const next = models[models.indexOf(answering) + 1];
        let failure: ModelFailure | null = null;
        let hasSpoken = false;
        for await (const event of answering.stream(request, signal)) {
          if (event.kind === "error" && event.failure.isRetryable && !hasSpoken && next !== undefined) {
            ({ failure } = event);
            break;
          }
          hasSpoken = true;
          yield event.kind === "usage" && lostTokens > 0
            ? { kind: "usage", usage: { ...event.usage, inputTokens: event.usage.inputTokens + lostTokens, isEstimated: true } }
            : event;
        }
        if (failure === null || next === undefined) return;
        // It may have been at work all the time, which is paid for.
        if (failure.hasBegun === true) lostTokens += estimatedTokens(request);
        change(next, failure.message);
      }
    },
    close: async () => {
      await Promise.all(models.map((model) => model.close()));
    },
  };
}

// Three characters a token, which is too many rather than too few.
function estimatedTokens(request: ModelRequest): number {
  return Math.ceil(JSON.stringify(request).length / 3);
}
