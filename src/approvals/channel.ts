import type { ApprovalAnswer, ApprovalCard } from "./card.ts";

/** What a channel returns: an answer, or `told`: somebody was told, and any answer comes another way (`warder approvals`, HTTP). */
export type ChannelEnd = ApprovalAnswer | { readonly kind: "told" };

/**
 * One way to reach a person: a terminal, a function of an embedding program, a webhook. `ask` is told of a question that is stored as pending,
 * and may answer it; it stops when the signal fires, because then the answer came from elsewhere or the run was cancelled. It decides nothing:
 * whichever answer is stored first, over all channels and processes, is the one that counts. A channel that fails has reached nobody.
 */
export type ApprovalChannel = {
  readonly name: string;
  ask(card: ApprovalCard, signal: AbortSignal): Promise<ChannelEnd>;
  /** Called in the transaction that stores the question: what is kept there is told by another process, should this one end before `ask`. */
  keep?(card: ApprovalCard): void;
};
