import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ClientRun } from "../../app/run/client-run.ts";
import { showApproval } from "../../approvals/approval.ts";
import { sha256 } from "../../base/digest.ts";
import { newId } from "../../base/ids.ts";
import type { CallEnd, CallPlan, Emit, ToolCall } from "../../gate/gate.ts";
import { answerOf, refusedAnswer, waitingAnswer } from "./answer.ts";
import { askClient, shownOf, takeAnswer, type ShownAnswer, type ShowToPerson, type Shown } from "./ask-client.ts";
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

/**
 * How the client's person is reached. `ask`: by a request in the middle of the call. `return`: the call ends with a form, and is made again with what the
 * person did; `given` is that of this call. `none`: not at all.
 */
export type Person =
  | { readonly kind: "none" }
  | { readonly kind: "ask"; readonly show: ShowToPerson }
  | { readonly kind: "return"; readonly given: { readonly form: string; readonly answer: ShownAnswer } | null };

export type CallCircumstances = {
  readonly signal: AbortSignal;
  /** Tells the client that the call goes on. */
  readonly progress: (text: string) => void;
  /** Who the client says that it is. */
  readonly by: string;
  readonly person: Person;
};

/** A call's answer, or the form that its person is to be shown before it is made again. */
export type CallAnswer = { readonly kind: "result"; readonly result: CallToolResult } | { readonly kind: "form"; readonly form: string; readonly shown: Shown };

type Form = { readonly form: string; readonly shown: Shown };
/** `form`: what was last shown for it, until it was answered. */
type Parked = { readonly callId: string; readonly approvalId: string; readonly form: Form | null };

/** Answers the calls of a run, each once. Throws only what must end the run. */
export function createCalls(run: ClientRun): (call: ClientCall, circumstances: CallCircumstances) => Promise<CallAnswer> {
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

  const carryOut = async (call: ClientCall, circumstances: CallCircumstances): Promise<CallAnswer> => {
    const { by, person, signal, progress } = circumstances;
    // An answer counts for exactly this call, so the call that is made again has to be the one that was asked about.
    const key = sha256(`${call.name}\n${JSON.stringify(call.input)}`);
    let last = parked.get(key) ?? null;
    parked.delete(key);
    const callId = last?.callId ?? newId("call");
    const given = last !== null && person.kind === "return" ? answerTo(last, person.given) : null;
    if (last !== null && given !== null) takeAnswer(run.approvals, last.approvalId, { ...given, by });
    const asked = given === null ? null : (last?.approvalId ?? null);
    try {
      for (let round = 1; ; round += 1) {
        const end = await attempt(call, callId, circumstances);
        if (end.kind !== "parked" || end.approvalId === undefined) return result(answerOf(end, callId));
        const { approvalId } = end;
        const question = showApproval(run.approvals, approvalId);
        last = { callId: question?.callId ?? callId, approvalId, form: null };
        const shown = person.kind === "none" || question === null || approvalId === asked ? null : shownOf(question.card);
        if (shown === null || round > MAX_ASK_ROUNDS || signal.aborted) return result(waitingAnswer(end, callId));
        if (person.kind === "return") {
          const form = { form: newId("form"), shown };
          last = { ...last, form };
          return { kind: "form", ...form };
        }
        progress(`waits for a person: ${approvalId}`);
        if (person.kind === "ask") await askClient(run.approvals, approvalId, shown, { by, show: person.show, signal });
        if (showApproval(run.approvals, approvalId)?.state === "pending") return result(waitingAnswer(end, callId));
      }
    } finally {
      if (last !== null && isUnused(run, last)) parked.set(key, last);
    }
  };

  return async (call, circumstances) => {
    if (open >= MOST_OPEN) return result(refusedAnswer(`Not run: ${MOST_OPEN} calls are open. Wait for their answers, then call again.`));
    if (isDeeper(call.input, MAX_DEPTH)) return result(refusedAnswer(`Not run: its arguments are nested deeper than ${MAX_DEPTH} levels.`));
    open += 1;
    try {
      if (call.name === VERDICT.name) return result(await inTurn(null, () => answerVerdict(run, call.input)));
      return await carryOut(call, circumstances);
    } finally {
      open -= 1;
    }
  };
}

function result(answer: CallToolResult): CallAnswer {
  return { kind: "result", result: answer };
}

/** An answer counts for the form that was shown last, and no other. */
function answerTo({ form }: Parked, given: (Person & { kind: "return" })["given"]): { readonly shown: Shown; readonly answer: ShownAnswer } | null {
  return form === null || given?.form !== form.form ? null : { shown: form.shown, answer: given.answer };
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
