import { canonicalJson, sha256 } from "../base/digest.ts";
import { AgentError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import type { CallEnd, Emit, GateEvent, RunToolCall, ToolCall, ToolResult } from "../gate/gate.ts";
import { CANCELLED, orCancelled, waitFor } from "../providers/contract/cancellation.ts";
import type { ToolCallPart, ToolResultPart } from "../providers/contract/message.ts";
import type { WantedCall } from "./answer.ts";
import { parseArguments } from "./arguments.ts";
import type { CallEnding, RunEvent } from "./events.ts";
import type { RepetitionVerdict } from "./repetition.ts";
import { type CallMark, markOf, refusalWarning, type Refusals, type RefusalVerdict } from "./refusals.ts";
import { imagesOf, ownWords, renderResult } from "./result-text.ts";
import type { RunEnding } from "./run-end.ts";

/** Calls of one turn that are run; the rest is answered without running. Names of no tool do not count. */
export const MAX_COUNTED_CALLS = 32;
/** Calls of one turn that are looked at, whatever they are. */
export const MAX_CALLS = 128;
/** How long a call that was cancelled may take to end; then it is answered without waiting for it. */
const CANCEL_GRACE_MS = 5000;

/** One call of an answer, its arguments parsed as far as they go. */
export type PreparedCall = { readonly part: ToolCallPart; readonly problem: string | null };

export type CallSetting = {
  readonly runToolCall: RunToolCall;
  readonly signal: AbortSignal;
  readonly emit: Emit<RunEvent>;
  readonly watchRepetition: (call: string, outcome: string) => RepetitionVerdict;
  readonly refusals: Refusals;
  /** Keeps an answer, and what its call counts as, before the next call is begun. */
  readonly record: (part: ToolResultPart, mark: CallMark | undefined) => void;
};

/** The answers to all calls of a turn, in their order, and why the run must end, if it must. A batch that ends parked stops before its call. */
export type Batch = { readonly results: readonly ToolResultPart[]; readonly ending: { readonly end: RunEnding; readonly reason: string } | null };

/**
 * Parses the calls of an answer. Each gets an id that is unique in the run: the provider's own, unless it is missing,
 * odd or used before (`usedIds` is added to).
 */
export function prepareCalls(calls: readonly WantedCall[], options: { readonly usedIds: Set<string>; readonly isCut: boolean }): readonly PreparedCall[] {
  return calls.map((call, index) => {
    const isOwn = /^[A-Za-z0-9_-]{1,64}$/u.test(call.callId) && !options.usedIds.has(call.callId);
    const callId = isOwn ? call.callId : newId("call");
    options.usedIds.add(callId);
    const parsed = parseArguments(call.inputText);
    const carry = call.carry === undefined ? {} : { carry: call.carry };
    const part = { kind: "tool-call" as const, callId, name: call.name, input: parsed.kind === "parsed" ? parsed.input : {}, ...carry };
    if (parsed.kind === "malformed") return { part, problem: parsed.message };
    const isLast = index === calls.length - 1;
    return {
      part,
      problem:
        options.isCut && isLast
          ? "Your answer was cut at its output limit, so this call may be incomplete. Nothing was run; send it again, in smaller pieces."
          : null,
    };
  });
}

/** What a batch knows while it goes on. */
type Progress = { ending: Batch["ending"]; fault: { readonly error: unknown } | null; counted: number };

type Reply = { readonly kind: CallEnding; readonly result: ToolResult; readonly mark?: CallMark; readonly warning?: string };

/** Performs the calls one after the other. Each is answered exactly once, in order. If one is parked, it and the calls after it wait. */
export async function performCalls(calls: readonly PreparedCall[], setting: CallSetting): Promise<Batch> {
  const progress: Progress = { ending: null, fault: null, counted: 0 };
  const results: ToolResultPart[] = [];
  for (const [index, call] of calls.entries()) {
    const reply =
      refuseToStart(index, progress, setting) ??
      (call.problem === null ? await perform(call.part, callsOf(calls.slice(index + 1)), progress, setting) : explain(call, progress, setting));
    if (reply.kind === "parked") break;
    const text = renderResult(reply.result, reply.warning ?? "");
    const { isError } = reply.result;
    const images = imagesOf(reply.result);
    const part = { kind: "tool-result", callId: call.part.callId, name: call.part.name, text, isError, ...(images.length === 0 ? {} : { images }) } as const;
    results.push(part);
    keep(part, reply.mark, { progress, setting });
    setting.emit({ kind: "tool-result", callId: call.part.callId, tool: call.part.name, ending: reply.kind, isError, text });
  }
  if (progress.fault === null) return { results, ending: progress.ending };
  const { error } = progress.fault;
  if (!(error instanceof AgentError)) throw error;
  return { results, ending: { end: { kind: "failed", code: error.code }, reason: error.message } };
}

// Like any other fault: what is left is answered, and the run ends with it.
function keep(part: ToolResultPart, mark: CallMark | undefined, { progress, setting }: { readonly progress: Progress; readonly setting: CallSetting }): void {
  try {
    setting.record(part, mark);
  } catch (error) {
    progress.fault ??= { error };
  }
}

function refuseToStart(index: number, progress: Progress, setting: CallSetting): Reply | null {
  const refuse = (text: string): Reply => ({ kind: "not-started", result: ownWords(text) });
  if (progress.ending || progress.fault) return refuse("Not started: the run is ending.");
  if (setting.signal.aborted) return refuse("Cancelled before it started.");
  if (progress.counted < MAX_COUNTED_CALLS && index < MAX_CALLS) return null;
  return refuse(`Not started: at most ${MAX_COUNTED_CALLS} calls are run in one turn. Send the rest in the next one.`);
}

function explain({ part, problem }: PreparedCall, progress: Progress, setting: CallSetting): Reply {
  const text = problem ?? "";
  progress.counted += 1;
  progress.ending = endingOf(null, setting.watchRepetition(`malformed ${part.name}`, text));
  return { kind: "malformed", result: ownWords(text) };
}

/** Those that will reach the gate. */
function callsOf(calls: readonly PreparedCall[]): readonly ToolCall[] {
  return calls.flatMap(({ part, problem }) => (problem === null ? [callOf(part)] : []));
}

function callOf({ callId, name, input }: ToolCallPart): ToolCall {
  return { id: callId, name, input };
}

async function perform(part: ToolCallPart, following: readonly ToolCall[], progress: Progress, setting: CallSetting): Promise<Reply> {
  const performed = await runToEnd(callOf(part), following, setting);
  if (performed.kind === "fault") {
    progress.fault = performed;
    return { kind: "fault", result: ownWords("Warder failed while it handled this call. The run is ending.") };
  }
  const end = performed.value;
  if (end.kind === "parked") {
    progress.ending = {
      end: { kind: "parked", approvalId: end.approvalId ?? "" },
      reason: `It waits for a person's answer to ${end.approvalId ?? "a question"}.`,
    };
    return { kind: "parked", result: end.result };
  }
  if (end.kind !== "unknown-tool") progress.counted += 1;
  const verdict = setting.watchRepetition(`${end.ruling?.tool ?? part.name} ${canonicalJson(part.input)}`, sha256(renderResult(end.result, "")));
  const mark = markOf(end);
  const refusal = setting.refusals.take(mark);
  progress.ending = refusal.kind === "stop" ? refusedEnding(refusal) : endingOf(end, verdict);
  return { kind: end.kind, result: end.result, mark, warning: warningOf(refusal, verdict) };
}

function warningOf(refusal: RefusalVerdict, repetition: RepetitionVerdict): string {
  if (refusal.kind !== "fine") return refusalWarning(refusal);
  if (repetition.kind === "fine") return "";
  return `the same call with the same outcome ${repetition.times} times in a row; do something else, or stop and say what is missing`;
}

function refusedEnding({ rule, times }: Exclude<RefusalVerdict, { kind: "fine" }>): Batch["ending"] {
  return { end: { kind: "denied", rule }, reason: `The same was refused ${times} times (rule ${rule}), in whatever words the model asked for it.` };
}

function endingOf(end: CallEnd | null, verdict: RepetitionVerdict): Batch["ending"] {
  if (end?.kind === "budget") return { end: { kind: "budget" }, reason: firstLine(end.result) };
  if (verdict.kind === "stop")
    return { end: { kind: "limit", limit: "repetition" }, reason: `The model repeated the same calls with the same outcome ${verdict.times} times in a row.` };
  return null;
}

function firstLine({ content }: ToolResult): string {
  const [part] = content;
  return (part?.kind === "text" ? part.text.split("\n")[0] : undefined) ?? "The policy's budget is spent.";
}

const GAVE_UP: CallEnd = { kind: "cancelled", ruling: null, result: ownWords("Cancelled. It did not end in time, so what it did until then is unknown.") };

async function runToEnd(
  call: ToolCall,
  following: readonly ToolCall[],
  setting: CallSetting,
): Promise<{ readonly kind: "ended"; readonly value: CallEnd } | { readonly kind: "fault"; readonly error: unknown }> {
  const emit = (event: GateEvent) => setting.emit(event);
  try {
    const running = setting.runToolCall(call, { signal: setting.signal, emit, following });
    const first = await orCancelled(running, setting.signal);
    if (first !== CANCELLED) return { kind: "ended", value: first };
    const isEnded = new AbortController();
    const giveUp = waitFor(CANCEL_GRACE_MS, isEnded.signal).then((waited) => (waited === CANCELLED ? running : GAVE_UP));
    return { kind: "ended", value: await Promise.race([running, giveUp]).finally(() => isEnded.abort()) };
  } catch (error) {
    // Kept until every sibling is answered; the caller throws it again or ends the run with it.
    return { kind: "fault", error };
  }
}
