import type { ApprovalAnswer, ApprovalCard } from "./card.ts";
import type { ApprovalChannel, ChannelEnd } from "./channel.ts";
import { answerApproval, expireApproval, requestApproval, showApproval, type Approvals } from "./approval.ts";

/** How often an answer from another process (`warder approvals grant`) is looked for. */
const POLL_MS = 200;

export type Question = {
  readonly card: ApprovalCard;
  readonly callId: string;
  readonly callDigest: string;
  /** All are told at once. None: nobody can be reached from here. */
  readonly channels: readonly ApprovalChannel[];
  readonly signal: AbortSignal;
};

type Nobody = ApprovalAnswer & { readonly kind: "nobody" };

/**
 * Puts a question to a person and waits for whichever answer comes first: a channel's, or one that another
 * process stored. Ends without an answer (`nobody`) when no channel reached anybody, the
 * time is over or the signal fires. What the store says in the end is what counts.
 */
export async function askPerson(approvals: Approvals, question: Question): Promise<ApprovalAnswer> {
  storeQuestion(approvals, question);
  return await awaitAnswer(approvals, question);
}

/** Stores a question as pending, and in the same transaction what its channels keep of it: none is there that nobody will be told of. */
export function storeQuestion(approvals: Approvals, { card, callId, callDigest, channels }: Omit<Question, "signal">): void {
  approvals.store.exclusively(() => {
    requestApproval(approvals, card, callId, callDigest);
    for (const channel of channels) channel.keep?.(card);
  });
}

/** The same as {@link askPerson} for a question that is stored already. */
export async function awaitAnswer(approvals: Approvals, question: Pick<Question, "card" | "channels" | "signal">): Promise<ApprovalAnswer> {
  const { card, channels } = question;
  if (channels.length === 0) return conclude(approvals, card, { kind: "nobody", reason: "there is nobody to ask in this run" });
  const over = new AbortController();
  const signal = AbortSignal.any([question.signal, over.signal]);
  try {
    const answer = await Promise.race([fromStore(approvals, card, signal), fromChannels(approvals, card, { channels, signal })]);
    return answer.kind === "nobody" ? conclude(approvals, card, answer) : answer;
  } finally {
    // Takes the prompts away when the answer came from elsewhere.
    over.abort();
  }
}

/** Tells the channels of a question that nobody waits for here: it is stored, and answered from elsewhere. */
export function tellOf(card: ApprovalCard, channels: readonly ApprovalChannel[], signal: AbortSignal): void {
  for (const channel of channels) void fromChannel(channel, card, signal);
}

// A channel that fails has reached nobody.
async function fromChannel(channel: ApprovalChannel, card: ApprovalCard, signal: AbortSignal): Promise<ChannelEnd> {
  try {
    return await channel.ask(card, signal);
  } catch (error) {
    return { kind: "nobody", reason: `the ${channel.name} channel failed: ${error instanceof Error ? error.message : "unknown fault"}` };
  }
}

/** The first answer of a person, or nobody's when no channel reached one. While somebody was told and nothing is final, it stays open. */
function fromChannels(approvals: Approvals, card: ApprovalCard, asked: Pick<Question, "channels" | "signal">): Promise<ApprovalAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ApprovalAnswer>();
  const ends = asked.channels.map(async (channel) => {
    const end = await fromChannel(channel, card, asked.signal);
    const taken = end.kind === "told" || end.kind === "nobody" ? end : take(approvals, card, end);
    if (taken.kind === "granted" || taken.kind === "refused") resolve(taken);
    return taken;
  });
  Promise.all(ends).then((all) => {
    const reasons = all.flatMap((end) => (end.kind === "nobody" ? [end.reason] : []));
    if (reasons.length === all.length) resolve({ kind: "nobody", reason: reasons.join("; ") });
  }, reject);
  return promise;
}

function fromStore(approvals: Approvals, card: ApprovalCard, signal: AbortSignal): Promise<ApprovalAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ApprovalAnswer>();
  const look = (): void => {
    try {
      const answer = storedAnswer(approvals, card);
      if (answer !== null) resolve(answer);
      else if (signal.aborted) resolve({ kind: "nobody", reason: "the run was cancelled while it waited for an answer" });
    } catch (error) {
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const timer = setInterval(look, POLL_MS);
  signal.addEventListener("abort", look, { once: true });
  look();
  return promise.finally(() => {
    clearInterval(timer);
    signal.removeEventListener("abort", look);
  });
}

/** Stores a channel's answer, or takes the one that was stored first. `told`: it was counted, and another person's is needed. */
function take(approvals: Approvals, card: ApprovalCard, answer: Exclude<ApprovalAnswer, { kind: "nobody" }>): ChannelEnd {
  const receipt = answerApproval(approvals, card.approvalId, answer);
  if (receipt.kind === "counted") return { kind: "told" };
  if (receipt.kind === "unconfirmed")
    return {
      kind: "nobody",
      reason: `${card.question === undefined ? "a yes without the one-time code that it needs" : "a yes without words"}: ${receipt.reason}`,
    };
  return storedAnswer(approvals, card) ?? { kind: "nobody", reason: "the answer came after the time was over" };
}

/** Nobody's answer ends the question, unless a person's was stored just before. */
function conclude(approvals: Approvals, card: ApprovalCard, nobody: Nobody): ApprovalAnswer {
  expireApproval(approvals, card.approvalId);
  return storedAnswer(approvals, card, nobody.reason) ?? nobody;
}

function storedAnswer(approvals: Approvals, card: ApprovalCard, whyNobody = "nobody answered in time"): ApprovalAnswer | null {
  const approval = showApproval(approvals, card.approvalId);
  if (approval === null) return { kind: "nobody", reason: "the question is gone from the store" };
  const by = approval.answeredBy ?? "unknown";
  const scope = approval.scope === "this-run" ? "this-run" : "once";
  // A pattern has been stored as a grant by whoever answered; for this call it is a yes, once.
  if (approval.state === "granted") return { kind: "granted", scope, by };
  if (approval.state === "refused") return { kind: "refused", scope, by, ...(approval.message === null ? {} : { message: approval.message }) };
  if (approval.state === "pending") return null;
  return { kind: "nobody", reason: approval.state === "expired" ? whyNobody : `the approval was ${approval.state} before` };
}
