import type { ErrorCode } from "../base/errors.ts";
import type { Message } from "../providers/contract/message.ts";
import type { Usage } from "../providers/contract/provider.ts";

export type RunLimits = {
  readonly turns: number;
  /** Tokens written plus tokens read that no cache held, over the whole run. */
  readonly tokens: number;
  /** Wall-clock time. */
  readonly minutes: number;
};

export type LimitName = keyof RunLimits | "repetition";

/** How a run ended. `reason` is one sentence for a person; `text` is the last that the model said. */
export type RunEnd = { readonly text: string; readonly reason: string; readonly turns: number; readonly usage: Usage } & RunEnding;

export type RunEnding =
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly code: ErrorCode }
  | { readonly kind: "limit"; readonly limit: LimitName }
  /** It ended without success after refusals: by the model, or because it was refused the same again and again. `rule`: of the refusal that stands. */
  | { readonly kind: "denied"; readonly rule: string }
  /** The policy's budget over many runs is spent. */
  | { readonly kind: "budget" }
  | { readonly kind: "cancelled" }
  /** Suspended: a call waits for a person's answer to `approvalId`. */
  | { readonly kind: "parked"; readonly approvalId: string };

/** The end, and the conversation up to it: every call in it has its result, but for those of the last message of a parked run. */
export type RunReport = { readonly end: RunEnd; readonly messages: readonly Message[] };
