import { deferAudit } from "../../audit/log/log.ts";
import { redactFor } from "../../audit/entries/redact.ts";
import { storedBeginning, storedText } from "../../audit/entries/stored-value.ts";
import type { Label } from "../../policy/label.ts";
import type { ApprovalEnd } from "../approval/settle-ask.ts";
import type { CallEnd, CallOptions } from "../gate.ts";
import { denialText, errorResult } from "../ruling/denial-text.ts";
import { refusalOf } from "../ruling/refusal-reasons.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";

// How a call ends that did nothing, and what the log keeps of an end.

/** By the policy. */
export function denied({ ruling, judgement }: RuledCall): CallEnd {
  const rule = ruling.decision.rules[0]?.id;
  const kind = rule?.startsWith("budget-") === true ? "budget" : "denied";
  return { kind, result: errorResult(denialText(ruling.decision), { rule }), ruling, refusal: refusalOf(judgement) };
}

/** Asked about, without a yes. */
export function unapproved(call: RuledCall, end: Exclude<ApprovalEnd, { kind: "granted" }>, options: CallOptions): CallEnd {
  const { ruling } = call;
  if (end.kind === "asks-spent") return closed(call, "budget", end.text);
  if (end.kind === "parked") return { kind: "parked", result: errorResult("Waiting for a person."), ruling, approvalId: end.approvalId };
  if (options.signal.aborted) return { kind: "cancelled", result: errorResult(end.text), ruling };
  return { kind: end.kind === "refused" ? "refused" : "denied", result: errorResult(end.text), ruling, refusal: refusalOf(call.judgement) };
}

/** A ruling that is not a denial always gets an outcome, so the log leaves nothing open. */
export function closed(call: RuledCall, kind: "budget", text: string): CallEnd {
  recordOutcome(call, { outcome: "denied", exitCode: null, durationMs: 0, text });
  return { kind, result: errorResult(text), ruling: call.ruling };
}

/** As it would end if a person had said yes, who need not be asked for that. */
export function failed(call: RuledCall, problem: string): CallEnd {
  const { callId, tool } = call.ruling;
  const result = errorResult(problem);
  call.emit({ kind: "tool-start", callId, tool });
  recordOutcome(call, { outcome: "failed", exitCode: null, durationMs: 0, text: problem });
  call.emit({ kind: "tool-end", callId, tool, isError: true, outcome: "failed", exitCode: null, notes: [], durationMs: 0 });
  return { kind: "executed", result, ruling: call.ruling, exitCode: null };
}

/** Puts the end of a call into the log, with the next record that must be on disk. */
export function recordOutcome(
  call: RuledCall,
  ended: { readonly outcome: string; readonly exitCode: number | null; readonly durationMs: number; readonly text: string; readonly labels?: readonly Label[] },
): void {
  const { text, durationMs, labels, ...rest } = ended;
  const redact = redactFor(call.gate.parts.audit);
  const payload = {
    kind: "outcome",
    call: call.ruling.callId,
    ruling: call.ruling.digest,
    ...rest,
    durationMs: Math.round(durationMs),
    result: storedText(text, redact),
    ...(labels === undefined ? {} : { labels: labels.map((label) => ({ ...label, source: storedBeginning(label.source, redact) })) }),
  } as const;
  deferAudit(call.gate.parts.audit, call.gate.parts.runId, () => payload);
}
