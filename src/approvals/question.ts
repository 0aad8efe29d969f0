import type { ApprovalAnswer, ApprovalCard, ApprovalChannel } from "./card.ts";
import { answerApproval, expireApproval, requestApproval, showApproval, type Approvals } from "./approval.ts";

/** How often an answer from another process (`warder approvals grant`) is looked for. */
const POLL_MS = 200;

export type Question = {
  readonly card: ApprovalCard;
  readonly callId: string;
  readonly callDigest: string;
  /** Null: nobody can be reached from here. */
  readonly channel: ApprovalChannel | null;
  readonly signal: AbortSignal;
};

/**
 * Puts a question to a person and waits for whichever answer comes first: the channel's, or one that another
 * process stored. Ends without an answer (`nobody`) when there is no channel, the channel has nobody, the
 * time is over or the signal fires. What the store says in the end is what counts.
 */
export async function askPerson(approvals: Approvals, question: Question): Promise<ApprovalAnswer> {
  requestApproval(approvals, question.card, question.callId, question.callDigest);
  return await awaitAnswer(approvals, question);
}

/** The same for a question that is stored already. */
export async function awaitAnswer(approvals: Approvals, question: Pick<Question, "card" | "channel" | "signal">): Promise<ApprovalAnswer> {
  const { card } = question;
  if (question.channel === null) {
    const nobody = { kind: "nobody", reason: "there is nobody to ask in this run" } as const;
    return settle(approvals, card, nobody) ?? nobody;
  }
  const over = new AbortController();
  const signal = AbortSignal.any([question.signal, over.signal]);
  try {
    const stored = fromStore(approvals, card, signal);
    const answer = settle(approvals, card, await Promise.race([fromChannel(question.channel, card, signal), stored]));
    // A yes that does not suffice: somebody else's is waited for.
    return answer ?? (await stored);
  } finally {
    // Takes the prompt away when the answer came from elsewhere.
    over.abort();
  }
}

// A channel that fails has reached nobody.
async function fromChannel(channel: ApprovalChannel, card: ApprovalCard, signal: AbortSignal): Promise<ApprovalAnswer> {
  try {
    return await channel.ask(card, signal);
  } catch (error) {
    return { kind: "nobody", reason: `the ${channel.name} channel failed: ${error instanceof Error ? error.message : "unknown fault"}` };
  }
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

// Records the answer, or takes the one that was stored first. Null: it was counted, and another person's is needed.
function settle(approvals: Approvals, card: ApprovalCard, answer: ApprovalAnswer): ApprovalAnswer | null {
  if (answer.kind === "nobody") {
    expireApproval(approvals, card.approvalId);
    return storedAnswer(approvals, card, answer.reason) ?? answer;
  }
  const receipt = answerApproval(approvals, card.approvalId, answer);
  if (receipt.kind === "counted") return null;
  if (receipt.kind === "unconfirmed") expireApproval(approvals, card.approvalId);
  if (receipt.kind === "unconfirmed") return { kind: "nobody", reason: `a yes without the one-time code that it needs: ${receipt.reason}` };
  return storedAnswer(approvals, card) ?? { kind: "nobody", reason: "the answer came after the time was over" };
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
