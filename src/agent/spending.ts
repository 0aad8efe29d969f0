import type { ModelRequest, Usage } from "../providers/contract/provider.ts";

/**
 * Counts what a run spends on answers, against limits that hold over many runs. May throw `store-unavailable`, which ends the run: nothing is spent that
 * cannot be counted.
 */
export type SpendingMeter = {
  /** Takes what an answer to this request may cost at most. Called before each request. */
  readonly reserve: (request: ModelRequest) => AnswerAllowance | { readonly kind: "spent"; readonly reason: string };
};

/** Taken for one answer. An allowance that is never settled counts in full. */
export type AnswerAllowance = {
  readonly kind: "reserved";
  /** The answer must not be longer; null: no limit needs it. */
  readonly maxOutputTokens: number | null;
  readonly settle: (usage: Usage) => void;
};

/** The time that a run may take, taken piece by piece while it goes on. */
export type TimeMeter = {
  /** Fires when no more is to be had. */
  readonly signal: AbortSignal;
  /** Why, as one sentence. */
  readonly reason: () => string;
};
