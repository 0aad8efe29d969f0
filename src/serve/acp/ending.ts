import { type PromptResponse, RequestError } from "@agentclientprotocol/sdk";
import type { TaskEnd } from "../../app/conversation/task.ts";
import type { RunEnd } from "../../agent/run-end.ts";
import { makeVisible, makeVisibleLine } from "../../base/text.ts";

type StopReason = PromptResponse["stopReason"];

/** How a prompt ended, and what its person is told of it in Warder's words. Throws what the editor shows as an error. */
export function endingOf(end: TaskEnd): { readonly stopReason: StopReason; readonly words: readonly string[] } {
  if (end.kind === "waiting") return { stopReason: "end_turn", words: [waiting(end.approvalId)] };
  if (end.kind === "refused") return { stopReason: "end_turn", words: [`${makeVisibleLine(end.by)} refused to let the run go on under the changed policy.`] };
  const { end: ending, summary, runId } = end.result;
  const count = summary.changes?.count ?? 0;
  const changes = count === 0 ? [] : [`Changes that wait: ${String(count)}. See: warder changes diff ${runId}. Land them: warder changes apply ${runId}`];
  if (ending.kind === "failed") throw new RequestError(-32_603, makeVisible(ending.reason));
  if (ending.kind === "parked") return { stopReason: "end_turn", words: [waiting(ending.approvalId), ...changes] };
  const reason = ending.kind === "done" || ending.kind === "cancelled" ? [] : [ending.reason];
  return { stopReason: stopReasonOf(ending), words: [...reason, ...changes] };
}

function stopReasonOf(ending: RunEnd): StopReason {
  if (ending.kind === "cancelled") return "cancelled";
  if (ending.kind !== "limit") return "end_turn";
  return ending.limit === "turns" ? "max_turn_requests" : ending.limit === "tokens" ? "max_tokens" : "end_turn";
}

function waiting(approvalId: string): string {
  return `It waits for a person: warder approvals show ${approvalId}, then grant or refuse it. Then say how it is to go on.`;
}
