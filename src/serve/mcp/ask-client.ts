import { answerApproval, showApproval, type Approvals } from "../../approvals/approval.ts";
import type { ApprovalCard } from "../../approvals/card.ts";
import { newWord } from "../../approvals/terminal/confirmation-word.ts";
import { wholeCard } from "../../approvals/whole-card.ts";

/** What a client is asked to show to its person. `word`: what is to be typed; null: nothing is. */
export type Shown = { readonly text: string; readonly word: string | null };

/** Shows it, and gives what the person did. Throws when the client did not show it, or the signal fired. */
export type ShowToPerson = (
  shown: Shown,
  signal: AbortSignal,
) => Promise<{ readonly action: "accept" | "decline" | "cancel"; readonly content?: Readonly<Record<string, unknown>> | undefined }>;

const COLUMNS = 100;
/** A card that nobody would read to its end in a form is answered where it can be paged through. */
const MOST_CHARACTERS = 20_000;
/** How often an answer from elsewhere is looked for. */
const POLL_MS = 500;

/** Whether a question may be put to a client's person at all: where a one-time code is wanted, it never is. */
export function mayShow({ needsCode, needed }: ApprovalCard): boolean {
  return !needsCode && needed === 1;
}

/**
 * Puts an open question to the person at the client. Their yes counts once, and their no is a no. Whatever else happens leaves the question as it is: it
 * waits in `warder approvals`, and an answer from there takes the form away.
 */
export async function askClient(
  approvals: Approvals,
  card: ApprovalCard,
  { by, show, signal }: { readonly by: string; readonly show: ShowToPerson; readonly signal: AbortSignal },
): Promise<void> {
  const text = wholeCard(card, COLUMNS).join("\n");
  if (!mayShow(card) || text.length > MOST_CHARACTERS) return;
  const word = card.wantsWord ? newWord() : null;
  const answer = await shown(approvals, card, { text, word }, { show, signal });
  if (answer?.action === "decline") answerApproval(approvals, card.approvalId, { kind: "refused", scope: "once", by });
  else if (answer?.action === "accept" && (word === null || answer.content?.["word"] === word))
    answerApproval(approvals, card.approvalId, { kind: "granted", scope: "once", by });
}

/** Null: nobody did anything with it. */
async function shown(
  approvals: Approvals,
  { approvalId }: ApprovalCard,
  what: Shown,
  { show, signal }: { readonly show: ShowToPerson; readonly signal: AbortSignal },
): Promise<Awaited<ReturnType<ShowToPerson>> | null> {
  const over = new AbortController();
  const watch = setInterval(() => {
    if (isAnswered(approvals, approvalId)) over.abort();
  }, POLL_MS);
  try {
    return await show(what, AbortSignal.any([signal, over.signal]));
  } catch (error) {
    // A client that fails, hangs or answers nonsense has shown it to nobody.
    void error;
    return null;
  } finally {
    clearInterval(watch);
  }
}

/** Nobody waits for a timer: what cannot be read here is told by whatever reads the store next. */
function isAnswered(approvals: Approvals, approvalId: string): boolean {
  try {
    return showApproval(approvals, approvalId)?.state !== "pending";
  } catch (error) {
    void error;
    return true;
  }
}
