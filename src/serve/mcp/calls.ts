import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { ClientRun } from "../../app/run/client-run.ts";
import { showApproval } from "../../approvals/approval.ts";
import { sha256 } from "../../base/digest.ts";
import { newId } from "../../base/ids.ts";
import type { CallEnd, CallPlan, Emit, ToolCall } from "../../gate/gate.ts";
import { answerOf, refusedAnswer, waitingAnswer } from "./answer.ts";
import { askClient, mayShow, type ShowToPerson } from "./ask-client.ts";
import { createQueue } from "./queue.ts";
import { answerVerdict, VERDICT } from "./verdict.ts";

/** As many as a turn of a run carries out at a time. */
const AT_ONCE = 8;
/** More than any agent has: each is held in memory until it was answered. */
const MOST_OPEN = 2_000;
/** Deeper than the arguments of any tool, and far from what a stack holds. */
const MAX_DEPTH = 64;
/** How often a person is asked about one call whose facts change under it. */
const MAX_ASK_ROUNDS = 3;

export type ClientCall = { readonly name: string; readonly input: Readonly<Record<string, unknown>> };

export type CallCircumstances = {
  readonly signal: AbortSignal;
  /** Tells the client that the call goes on. */
  readonly progress: (text: string) => void;
  /** Who the client says that it is. */
  readonly by: string;
  /** Absent: the client has no way to ask its person. */
  readonly show?: ShowToPerson;
};

type Parked = { readonly callId: string; readonly approvalId: string };

/** Answers the calls of one client, each once. Throws only what must end the session. */
export function createCalls(run: ClientRun): (call: ClientCall, circumstances: CallCircumstances) => Promise<CallToolResult> {
  const inTurn = createQueue(AT_ONCE);
  const parked = new Map<string, Parked>();
  let open = 0;

  const attempt = async (call: ClientCall, callId: string, { signal, progress }: CallCircumstances): Promise<CallEnd> => {
    const asked = { ...call, id: callId };
    const emit: Emit = (event) => {
      if (event.kind === "tool-start") progress(`${event.tool} runs`);
      else if (event.kind === "tool-progress") progress(event.text);
    };
    return await inTurn(planOf(run, asked), () => run.runToolCall(asked, { signal, emit }));
  };

  const carryOut = async (call: ClientCall, circumstances: CallCircumstances): Promise<CallToolResult> => {
    // An answer counts for exactly this call, so the call that is made again has to be the one that was asked about.
    const key = sha256(`${call.name}\n${JSON.stringify(call.input)}`);
    let last = parked.get(key) ?? null;
    parked.delete(key);
    const callId = last?.callId ?? newId("call");
    try {
      for (let round = 1; ; round += 1) {
        const end = await attempt(call, callId, circumstances);
        if (end.kind !== "parked" || end.approvalId === undefined) return answerOf(end, callId);
        const question = showApproval(run.approvals, end.approvalId);
        last = { callId: question?.callId ?? callId, approvalId: end.approvalId };
        const { show, by, signal, progress } = circumstances;
        if (show === undefined || question === null || !mayShow(question.card) || round > MAX_ASK_ROUNDS || signal.aborted) return waitingAnswer(end, callId);
        progress(`waits for a person: ${end.approvalId}`);
        await askClient(run.approvals, question.card, { by, show, signal });
        if (showApproval(run.approvals, end.approvalId)?.state === "pending") return waitingAnswer(end, callId);
      }
    } finally {
      if (last !== null && isUnused(run, last)) parked.set(key, last);
    }
  };

  return async (call, circumstances) => {
    if (open >= MOST_OPEN) return refusedAnswer(`Not run: ${MOST_OPEN} calls are open. Wait for their answers, then call again.`);
    if (isDeeper(call.input, MAX_DEPTH)) return refusedAnswer(`Not run: its arguments are nested deeper than ${MAX_DEPTH} levels.`);
    open += 1;
    try {
      if (call.name === VERDICT.name) return await inTurn(null, () => answerVerdict(run, call.input));
      return await carryOut(call, circumstances);
    } finally {
      open -= 1;
    }
  };
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** Null also for what nobody can plan, such as arguments without a canonical form: the gate refuses that, and nothing of it runs. */
function planOf(run: ClientRun, call: ToolCall): CallPlan | null {
  try {
    return run.planCall(call);
  } catch (error) {
    void error;
    return null;
  }
}

function isUnused({ approvals }: ClientRun, { approvalId }: Parked): boolean {
  const state = showApproval(approvals, approvalId)?.state;
  return state === "pending" || state === "granted";
}
