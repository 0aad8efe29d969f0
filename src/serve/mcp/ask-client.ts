import { answerApproval, showApproval, type Approvals } from "../../approvals/approval.ts";
import type { ApprovalCard } from "../../approvals/card.ts";
import { newWord } from "../../approvals/terminal/confirmation-word.ts";
import { wholeCard } from "../../approvals/whole-card.ts";

/** What a client is asked to show to its person. `word`: what is to be typed; null: nothing is. */
export type Shown = { readonly text: string; readonly word: string | null };

/** What the person did with it, as the client says. */
export type ShownAnswer = { readonly action: "accept" | "decline" | "cancel"; readonly content?: Readonly<Record<string, unknown>> | undefined };

/** Shows it, and gives what the person did. Throws when the client did not show it, or the signal fired. */
export type ShowToPerson = (shown: Shown, signal: AbortSignal) => Promise<ShownAnswer>;

const COLUMNS = 100;
/** A card that nobody would read to its end in a form is answered where it can be paged through. */
const MOST_CHARACTERS = 20_000;
/** How often an answer from elsewhere is looked for. */
const POLL_MS = 500;

/** What to show of a question; null where a client's person is never asked: a one-time code is wanted, a second person, or more than anybody reads in a form. */
export function shownOf(card: ApprovalCard): Shown | null {
  if (!mayShow(card)) return null;
  const text = wholeCard(card, COLUMNS).join("\n");
  return text.length > MOST_CHARACTERS ? null : { text, word: card.wantsWord ? newWord() : null };
}

function mayShow({ needsCode, needed }: ApprovalCard): boolean {
  return !needsCode && needed === 1;
}

type Taken = { readonly shown: Shown; readonly answer: ShownAnswer; /** Who the client says that it is. */ readonly by: string };

/** Their yes counts once, and their no is a no. Whatever else they did leaves the question as it is: it waits in `warder approvals`. */
export function takeAnswer(approvals: Approvals, approvalId: string, { shown: { word }, answer, by }: Taken): void {
  if (answer.action === "decline") answerApproval(approvals, approvalId, { kind: "refused", scope: "once", by });
  else if (answer.action === "accept" && (word === null || answer.content?.["word"] === word))
    answerApproval(approvals, approvalId, { kind: "granted", scope: "once", by });
}

/** Puts an open question to the person at the client, and takes their answer. An answer from elsewhere takes the form away. */
export async function askClient(
  approvals: Approvals,
  approvalId: string,
  what: Shown,
  { by, show, signal }: { readonly by: string; readonly show: ShowToPerson; readonly signal: AbortSignal },
): Promise<void> {
  const over = new AbortController();
  const watch = setInterval(() => {
    if (isAnswered(approvals, approvalId)) over.abort();
  }, POLL_MS);
  let answer: ShownAnswer;
  try {
    answer = await show(what, AbortSignal.any([signal, over.signal]));
  } catch (error) {
    // A client that fails, hangs or answers nonsense has shown it to nobody.
    void error;
    return;
  } finally {
    clearInterval(watch);
  }
  takeAnswer(approvals, approvalId, { shown: what, answer, by });
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
