import { consumeApproval, showApproval } from "../approvals/approval.ts";
import { redactFor } from "../audit/entries/redact.ts";
import { appendAuditWith } from "../audit/log/log.ts";
import { tailAudit } from "../audit/log/read.ts";
import { makeVisible } from "../base/text.ts";
import type { PersonHandle } from "../tools/contract/tool.ts";
import type { RuledCall } from "./ruling/ruled-call.ts";
import { permitWords } from "./calls/perform-action.ts";
import type { Progress } from "./calls/progress.ts";

/** Of one run, over its suspensions: who is told more reads none of it. */
const MAX_MESSAGES = 50;

/** What a run tells its person, and asks them: ruled on, in the log before anybody is shown it, and words alone. */
export function personHandle(call: RuledCall, progress: Progress): PersonHandle {
  const { parts } = call.gate;
  const { audit, runId } = parts;
  const { callId, digest } = call.ruling;
  return {
    tell: async (said) => {
      if (progress.isOver) return "Not sent: the call has ended.";
      if (!call.wanted.some(({ kind }) => kind === "message")) return "Not sent: the call did not ask for a message.";
      if (tailAudit(audit, { run: runId, kind: "user-message", limit: MAX_MESSAGES }).length >= MAX_MESSAGES)
        return `Not sent: a run sends at most ${String(MAX_MESSAGES)} messages, and this one did. Say the rest in your last answer.`;
      const text = makeVisible(redactFor(audit)(parts.session.redact(said.toWellFormed())));
      if (!(await permitWords(call, progress, "message", {}))) return `Not sent: ${progress.voided ?? "it was stopped"}.`;
      try {
        appendAuditWith(audit, () => {
          parts.keepMessage?.(text);
          return { run: runId, payload: { kind: "user-message", call: callId, ruling: digest, text } };
        });
      } catch (error) {
        progress.fault ??= error;
        return "Not sent: it could not be recorded.";
      }
      call.emit({ kind: "user-message", callId, text });
      return null;
    },
    answer: () => Promise.resolve(answerOf(call, progress)),
  };
}

/** The words that this very question was answered with. They are spent with it: no other call has them, and none is allowed by them. */
function answerOf({ gate: { parts, approvals }, ruling, wanted }: RuledCall, progress: Progress): Awaited<ReturnType<PersonHandle["answer"]>> {
  const { approvalId } = progress;
  if (progress.isOver || approvalId === null || !wanted.some(({ kind }) => kind === "question")) return { problem: "No answer: nobody was asked this." };
  const { message: words = null, answeredBy = null } = showApproval(approvals, approvalId) ?? {};
  if (words === null) return { problem: "No answer: nobody gave one in words." };
  try {
    appendAuditWith(parts.audit, () => {
      if (!consumeApproval(approvals, approvalId)) throw new Error("An answer was about to be used twice.");
      const text = redactFor(parts.audit)(words);
      return {
        run: parts.runId,
        payload: { kind: "question-answered", call: ruling.callId, ruling: ruling.digest, approval: approvalId, by: answeredBy, text },
      };
    });
    return { words };
  } catch (error) {
    progress.fault ??= error;
    return { problem: "No answer: it could not be recorded." };
  }
}
