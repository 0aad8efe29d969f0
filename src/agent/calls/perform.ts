import { canonicalJson, sha256 } from "../../base/digest.ts";
import { AgentError } from "../../base/errors.ts";
import type { CallEnd, Emit, PlanCall, RunToolCall, ToolCall, ToolResult } from "../../gate/gate.ts";
import type { ToolCallPart, ToolResultPart } from "../../providers/contract/message.ts";
import type { CallEnding, RunEvent } from "../events.ts";
import type { RunEnding } from "../run-end.ts";
import { performOne } from "./one-call.ts";
import type { PreparedCall } from "./prepare.ts";
import { type CallMark, markOf, refusalWarning, type Refusals, type RefusalVerdict } from "./refusals.ts";
import type { RepetitionVerdict } from "./repetition.ts";
import { imagesOf, ownWords, renderResult } from "./result-text.ts";
import { groupsOf, type Plans, type Strategy, waitsFor } from "./schedule.ts";
import { createSlots } from "../../base/slots.ts";

/** Calls of one turn that are run; the rest is answered without running. Names of no tool do not count. */
export const MAX_COUNTED_CALLS = 32;
/** Calls of one turn that are looked at, whatever they are. */
export const MAX_CALLS = 128;

export type CallSetting = {
  readonly runToolCall: RunToolCall;
  readonly planCall: PlanCall;
  readonly strategy: Strategy;
  readonly signal: AbortSignal;
  readonly emit: Emit<RunEvent>;
  /** Whether a person said something that the model is to hear before it does more. */
  readonly hasSteering: () => boolean;
  readonly watchRepetition: (call: string, outcome: string) => RepetitionVerdict;
  readonly refusals: Refusals;
  /** Keeps answers, and what their calls count as, before any call of a later group is begun. */
  readonly record: (answers: readonly Kept[]) => void;
};

export type Kept = { readonly part: ToolResultPart; readonly mark: CallMark | undefined };

type BatchEnding = { readonly end: RunEnding; readonly reason: string };

/**
 * The answers to all calls of a turn, in their order, and why the run must end, if it must. Of a batch that ends parked some are missing: those calls wait.
 * `isVotedDone`: every result that counts says that the run is done.
 */
export type Batch = { readonly results: readonly ToolResultPart[]; readonly ending: BatchEnding | null; readonly isVotedDone: boolean };

type Reply = { readonly kind: CallEnding; readonly result: ToolResult; readonly end?: CallEnd };

/** What a batch knows while it goes on. */
type State = {
  readonly calls: readonly PreparedCall[];
  readonly plans: Plans;
  readonly setting: CallSetting;
  /** By index; what is missing has not ended, or waits for a person. */
  readonly replies: (Reply | undefined)[];
  readonly results: Map<number, ToolResultPart>;
  /** Answers that are not kept yet, with what is told of each. */
  readonly unkept: (Kept & { readonly event: RunEvent })[];
  /** Aborts the others when a tool fails whose failure makes them pointless. */
  readonly siblings: AbortController;
  /** Of the run and of the siblings. One for all calls: each that follows the run's signal is known to it until it is collected. */
  readonly stop: AbortSignal;
  ending: BatchEnding | null;
  fault: { readonly error: unknown } | null;
  isSteered: boolean;
};

/**
 * Performs the calls of one turn as the strategy says. Each is answered exactly once, in order. If one is parked, it waits with those that were not begun;
 * those that ran beside it are answered.
 */
export async function performCalls(calls: readonly PreparedCall[], setting: CallSetting): Promise<Batch> {
  const plans = calls.map(({ part, problem }) => (problem === null ? setting.planCall(callOf(part)) : null));
  const siblings = new AbortController();
  const state: State = {
    calls,
    plans,
    setting,
    replies: [],
    results: new Map(),
    unkept: [],
    siblings,
    stop: AbortSignal.any([setting.signal, siblings.signal]),
    ending: null,
    fault: null,
    isSteered: false,
  };
  const beyond = beyondLimit(state);
  const slots = createSlots(setting.strategy.kind === "parallel" ? setting.strategy.atOnce : calls.length);
  for (const group of groupsOf(plans, setting.strategy)) {
    state.isSteered ||= group[0] !== 0 && setting.hasSteering();
    const ended = new Map(group.map((index) => [index, Promise.withResolvers<null>()]));
    const carryOut = async (index: number): Promise<void> => {
      for (const earlier of waitsFor(index, group, plans)) await ended.get(earlier)?.promise;
      await slots.take();
      state.replies[index] = refuseToStart(index, state) ?? beyond.get(index) ?? (await reply(index, state));
      slots.release();
      ended.get(index)?.resolve(null);
      settleInOrder(state);
    };
    await Promise.all(group.map(carryOut));
    keep(state);
  }
  // A run that ends with a fault leaves nothing unanswered.
  if (state.fault !== null)
    for (const index of calls.keys())
      if (state.replies[index]?.kind === "parked") state.replies[index] = { kind: "not-started", result: ownWords("Not started: the run is ending.") };
  // What ran beside a call that waits for a person has its answer all the same.
  for (const index of calls.keys()) settle(index, state);
  keep(state);
  if (state.fault !== null && !(state.fault.error instanceof AgentError)) throw state.fault.error;
  const ending = state.fault === null ? state.ending : faultEnding(state.fault.error as AgentError);
  return { results: [...calls.keys()].flatMap((index) => state.results.get(index) ?? []), ending, isVotedDone: ending === null && isVotedDone(state) };
}

function callOf({ callId, name, input }: ToolCallPart): ToolCall {
  return { id: callId, name, input };
}

function faultEnding({ code, message }: AgentError): BatchEnding {
  return { end: { kind: "failed", code }, reason: message };
}

/** The calls of one turn that are too many. Names of no tool take no place, and some tools neither; no turn has more than 128 of anything. */
function beyondLimit({ calls, plans }: State): ReadonlyMap<number, Reply> {
  const text = `Not started: at most ${MAX_COUNTED_CALLS} calls are run in one turn. Send the rest in the next one.`;
  const beyond = new Map<number, Reply>();
  let counted = 0;
  for (const [index, { problem }] of calls.entries()) {
    const isCounted = problem !== null || plans[index]?.traits.countsTowardCallLimit === true;
    if (isCounted) counted += 1;
    if (index >= MAX_CALLS || (isCounted && counted > MAX_COUNTED_CALLS))
      beyond.set(index, { kind: "not-started", result: ownWords(text, "max_tool_calls_per_turn") });
  }
  return beyond;
}

function refuseToStart(index: number, state: State): Reply | undefined {
  const refuse = (text: string): Reply => ({ kind: "not-started", result: ownWords(text) });
  if (state.ending?.end.kind === "parked") return { kind: "parked", result: ownWords("Waiting for a person.") };
  if (state.ending || state.fault) return refuse("Not started: the run is ending.");
  if (state.setting.signal.aborted) return refuse("Cancelled before it started.");
  if (state.siblings.signal.aborted) return refuse(siblingText(state));
  if (state.isSteered) return { kind: "skipped", result: ownWords("Skipped due to queued user message.") };
  const problem = state.calls[index]?.problem ?? null;
  return problem === null ? undefined : { kind: "malformed", result: ownWords(problem) };
}

function siblingText({ siblings }: State): string {
  return `aborted because sibling '${String(siblings.signal.reason)}' failed`;
}

async function reply(index: number, state: State): Promise<Reply> {
  const { setting, siblings, calls, plans } = state;
  const { part } = calls[index] as PreparedCall;
  const performed = await performOne(setting.runToolCall, callOf(part), {
    signal: state.stop,
    emit: (event) => setting.emit(event),
    // Those that will reach the gate.
    following: calls.slice(index + 1).flatMap(({ part: later, problem }) => (problem === null ? [callOf(later)] : [])),
  });
  if (performed.kind === "fault") {
    state.fault ??= performed;
    return { kind: "fault", result: ownWords("Warder failed while it handled this call. The run is ending.") };
  }
  const { end } = performed;
  if (end.kind === "parked") {
    const reason = `It waits for a person's answer to ${end.approvalId ?? "a question"}.`;
    state.ending = { end: { kind: "parked", approvalId: end.approvalId ?? "" }, reason };
  }
  if (end.kind === "budget") state.ending ??= { end: { kind: "budget" }, reason: firstLine(end.result) };
  const plan = plans[index];
  if (end.kind === "cancelled" && siblings.signal.aborted && !setting.signal.aborted) return { kind: end.kind, result: ownWords(siblingText(state)), end };
  if (plan?.traits.abortsSiblingsOnError === true && end.kind === "executed" && end.result.isError) siblings.abort(plan.tool);
  return { kind: end.kind, result: end.result, end };
}

function firstLine({ content }: ToolResult): string {
  const [part] = content;
  return (part?.kind === "text" ? part.text.split("\n")[0] : undefined) ?? "The policy's budget is spent.";
}

/** Answers what has ended up to the first call that has not: results, records and events come in the order of the calls. */
function settleInOrder(state: State): void {
  for (const index of state.calls.keys()) {
    if (state.replies[index] === undefined) return;
    settle(index, state);
  }
}

function settle(index: number, state: State): void {
  const found = state.replies[index];
  if (found === undefined || found.kind === "parked" || state.results.has(index)) return;
  const { part } = state.calls[index] as PreparedCall;
  const { kind, result } = found;
  const { warning, mark } = watch(index, found, state);
  const images = imagesOf(result);
  const artifact = result.details?.["artifact"];
  const { isError } = result;
  const text = renderResult(result, warning);
  const answer = {
    kind: "tool-result",
    callId: part.callId,
    name: part.name,
    text,
    isError,
    ...(images.length === 0 ? {} : { images }),
    ...(typeof artifact === "string" ? { artifact } : {}),
    ...(result.labels === undefined ? {} : { labels: result.labels }),
  } as const;
  state.results.set(index, answer);
  const event = { kind: "tool-result", callId: part.callId, tool: state.plans[index]?.tool ?? part.name, ending: kind, isError, text } as const;
  state.unkept.push({ part: answer, mark, event });
  // What only looked can be done again, so its answer waits for those beside it: one flush for all.
  if (state.plans[index]?.traits.tier !== "read-only") keep(state);
}

function keep(state: State): void {
  const kept = state.unkept.splice(0);
  if (kept.length === 0) return;
  try {
    state.setting.record(kept);
  } catch (error) {
    // Like any other fault: what is left is answered, and the run ends with it.
    state.fault ??= { error };
  }
  for (const { event } of kept) state.setting.emit(event);
}

/** Counts a call that was looked at against circles and refusals, and says what the model is told of them. */
function watch(index: number, { kind, result, end }: Reply, state: State): { readonly warning: string; readonly mark: CallMark | undefined } {
  if (end === undefined && kind !== "malformed") return { warning: "", mark: undefined };
  const { setting, plans } = state;
  const { part } = state.calls[index] as PreparedCall;
  const identity = kind === "malformed" ? `malformed ${part.name}` : (plans[index]?.identity ?? `${part.name} ${canonicalJson(part.input)}`);
  const repetition = setting.watchRepetition(identity, kind === "malformed" ? renderResult(result, "") : sha256(renderResult(result, "")));
  const mark = end === undefined ? undefined : markOf(end);
  const refusal: RefusalVerdict = mark === undefined ? { kind: "fine" } : setting.refusals.take(mark);
  if (refusal.kind === "stop") state.ending ??= refusedEnding(refusal);
  else if (repetition.kind === "stop") state.ending ??= repeatedEnding(repetition.times);
  return { warning: warningOf(refusal, repetition, end?.ruling?.decision.instead), mark };
}

function warningOf(refusal: RefusalVerdict, repetition: RepetitionVerdict, instead: string | undefined): string {
  if (refusal.kind !== "fine") return refusalWarning(refusal, instead);
  if (repetition.kind === "fine") return "";
  return `the same call with the same outcome ${repetition.times} times in a row; do something else, or stop and say what is missing`;
}

function refusedEnding({ rule, times }: Exclude<RefusalVerdict, { kind: "fine" }>): BatchEnding {
  return { end: { kind: "denied", rule }, reason: `The same was refused ${times} times (rule ${rule}), in whatever words the model asked for it.` };
}

function repeatedEnding(times: number): BatchEnding {
  return { end: { kind: "limit", limit: "repetition" }, reason: `The model repeated the same calls with the same outcome ${times} times in a row.` };
}

/** Whether there is a vote that counts, and every one of them is yes. What did not run, or names no tool, votes no. */
function isVotedDone({ calls, plans, replies }: State): boolean {
  const votes = [...calls.keys()].flatMap((index) => {
    const plan = plans[index];
    if (plan?.traits.countsTowardTermination === false) return [];
    const found = replies[index];
    return [found?.kind === "executed" && !found.result.isError && found.result.terminate === true];
  });
  return votes.length > 0 && votes.every(Boolean);
}
