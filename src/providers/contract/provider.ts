import type { Message } from "./message.ts";

/** A tool as a model is told of it. `inputSchema` is JSON Schema: one object, everything inline. */
export type ModelTool = { readonly name: string; readonly description: string; readonly inputSchema: Readonly<Record<string, unknown>> };

export type ModelRequest = {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ModelTool[];
  /** The answer must not be longer; absent: as long as the model likes. */
  readonly maxOutputTokens?: number;
  /** The tool that the answer has to call; absent: the model chooses. A server may not hold to it. */
  readonly mustCall?: string;
};

/** Tokens of one answer. `inputTokens` includes what came from the provider's cache. */
export type Usage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  /** The provider did not say, so the number is counted from characters. */
  readonly isEstimated: boolean;
};

export type FinishReason = "stop" | "tool-calls" | "length" | "content-filter" | "interrupted" | "cancelled" | "other";

export type ModelFailure = {
  readonly code: "provider-failed" | "script-mismatch";
  /** For a person: what happened and what to do. Never holds the key. */
  readonly message: string;
  /** Trying again later may help: rate limit, overload, network. */
  readonly isRetryable: boolean;
  /** What the server asked to wait, when it said so. */
  readonly retryAfterMs?: number;
  /** The server had begun to answer, or may have: that is paid for, so the same is not asked for again. */
  readonly hasBegun?: true;
};

/** One event of an answer. Exactly one `finish` or `error` comes last. */
export type ModelEvent =
  | { readonly kind: "text-delta"; readonly text: string; readonly carry?: unknown }
  | { readonly kind: "reasoning"; readonly text: string; readonly carry?: unknown }
  /** A whole call; `inputText` is what the model wrote and may be no JSON. */
  | { readonly kind: "tool-call"; readonly callId: string; readonly name: string; readonly inputText: string; readonly carry?: unknown }
  | { readonly kind: "usage"; readonly usage: Usage }
  | { readonly kind: "finish"; readonly reason: FinishReason }
  | { readonly kind: "error"; readonly failure: ModelFailure };

/** A model, reached over HTTP. */
export type ModelProvider = {
  /** `anthropic:NAME` and so on, as a person would write it. */
  readonly id: string;
  /** The words come from a script file, so a run with it proves nothing about a model. */
  readonly isScripted: boolean;
  /**
   * Streams one answer. Never throws for what a server or network does: that is an `error` event. When `signal`
   * aborts, the stream ends at once with `finish` and the reason `cancelled`.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Ends what was started for it. Idempotent. */
  close(): Promise<void>;
};
