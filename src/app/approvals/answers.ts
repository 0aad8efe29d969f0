import { appendAuditWith } from "../../audit/log/log.ts";
import type { AuditPayload } from "../../audit/entries/entry.ts";
import { answerWithToken, isTokenOf, type TokenAnswer, type TokenReceipt } from "../../approvals/http-answers/token.ts";
import { startAnswerServer, type AnswerServer } from "../../approvals/http-answers/server.ts";
import { systemClock } from "../../base/clock.ts";
import type { ListenAddress } from "../../config/settings.ts";
import { answerApproval, showApproval, type AnswerReceipt, type Approval, type PersonsAnswer } from "../../approvals/approval.ts";
import { AgentError } from "../../base/errors.ts";
import { redactSecrets } from "../../audit/entries/redact.ts";
import { recordGrant } from "../../gate/approval/grant-record.ts";
import type { Records } from "../records/records.ts";

/** Takes an answer that was given in another process than the run's: answer and record are one transaction. */
export function giveAnswer(records: Records, approval: Approval, answer: PersonsAnswer): AnswerReceipt {
  return recorded(records, approval, "warder approvals", () => ({ ...answerApproval(records.approvals, approval.id, answer), by: answer.by }));
}

/** The same for one that came with a token. What names no question of ours leaves no record: anybody could fill the log with that. */
export function giveAnswerWithToken(records: Records, answer: TokenAnswer): TokenReceipt {
  const approval = showApproval(records.approvals, answer.approvalId);
  if (approval === null) return { kind: "stranger" };
  return recorded(records, approval, "HTTP", () => answerWithToken(records.approvals, answer));
}

/** Takes answers over HTTP until it is closed. `url`: the address that receivers of webhooks reach it by. */
export async function serveAnswers(records: Records, { listen, url }: { readonly listen: ListenAddress; readonly url: URL }): Promise<AnswerServer> {
  return await startAnswerServer({
    listen,
    hosts: [url.host],
    clock: systemClock,
    knows: (answer) => isTokenOf(records.approvals, answer),
    take: (answer) => giveAnswerWithToken(records, answer),
  });
}

type Receipt = (AnswerReceipt & { readonly by: string }) | TokenReceipt;

function recorded<R extends Receipt>(records: Records, approval: Approval, way: string, give: () => R): R {
  let receipt: R | null = null;
  appendAuditWith(records.audit, () => {
    receipt = give();
    return { run: approval.runId, payload: payloadOf(receipt, approval, way) };
  });
  if (receipt === null) throw new AgentError("broken-invariant", "An answer was recorded and not taken.");
  recordGrant(records.audit, records.approvals, approval.runId, approval.id);
  return receipt;
}

function payloadOf(receipt: Receipt, asked: Approval, way: string): AuditPayload {
  const about = { call: asked.callId, ruling: asked.card.rulingDigest, approval: asked.id };
  if (receipt.kind === "taken" || receipt.kind === "counted") {
    const { approval, by } = receipt;
    const reason = receipt.kind === "counted" ? `${approval.approvers.length} of ${asked.card.needed} yeses` : way;
    const answer = approval.state === "refused" ? "refused" : "granted";
    return { kind: "approval-given", ...about, answer, by: approval.answeredBy ?? approval.approvers.at(-1) ?? by, scope: approval.scope, reason };
  }
  const by = receipt.kind === "stranger" ? null : receipt.by;
  return { kind: "approval-not-taken", ...about, by, way, reason: redactSecrets(notTaken(receipt)) };
}

function notTaken(receipt: Exclude<Receipt, { kind: "taken" | "counted" }>): string {
  if (receipt.kind === "unconfirmed") return receipt.reason;
  return receipt.kind === "stranger" ? "no token of this question and ruling" : `it is ${receipt.state}`;
}
