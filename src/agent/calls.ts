import { canonicalJson, sha256 } from "../base/digest.ts";
import { AgentError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import type { CallEnd, GateEvent, RunToolCall } from "../gate/gate.ts";
import { CANCELLED, orCancelled, waitFor } from "../providers/cancellation.ts";
import type { ToolCallPart, ToolResultPart } from "../providers/message.ts";
import type { ToolCall, ToolResult } from "../tools/tool.ts";
import type { WantedCall } from "./answer.ts";
import { parseArguments } from "./arguments.ts";
import type { RunEvent } from "./events.ts";
import type { RepetitionVerdict } from "./repetition.ts";
import { ownWords, renderResult } from "./result-text.ts";
import type { RunEnding } from "./run-end.ts";

/** Calls of one turn that are run; the rest is answered without running. Names of no tool do not count. */
export const MAX_COUNTED_CALLS = 32;
/** Calls of one turn that are looked at, whatever they are. */
export const MAX_CALLS = 128;
/** How long a call that was cancelled may take to end; then it is answered without waiting for it. */
const CANCEL_GRACE_MS = 5000;

/** How a call was answered: as the gate says, or without reaching it. */
export type CallEnding = CallEnd["kind"] | "malformed" | "not-started";

/** One call of an answer, its arguments parsed as far as they go. */
export type PreparedCall = { readonly part: ToolCallPart; readonly problem: string | null };

export type CallSetting = {
  readonly runToolCall: RunToolCall;
  readonly signal: AbortSignal;
  readonly emit: (event: RunEvent) => void;
  readonly watchRepetition: (call: string, outcome: string) => RepetitionVerdict;
};

/** The answers to all calls of a turn, in their order, and why the run must end, if it must. */
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
    return { part, problem: options.isCut && isLast ? "Your answer was cut at its output limit, so this call may be incomplete. Nothing was run; send it again, in smaller pieces." : null };
  });
}

/** Performs the calls one after the other. Whatever happens, each is answered exactly once, in order. */
export async function performCalls(calls: readonly PreparedCall[], setting: CallSetting): Promise<Batch> {
  const results: ToolResultPart[] = [];
  let ending: Batch["ending"] = null;
  let fault: unknown;
  let counted = 0;
  for (const [index, { part, problem }] of calls.entries()) {
    const answer = (kind: CallEnding, result: ToolResult, warning = "") => {
      const text = renderResult(result, warning);
      results.push({ kind: "tool-result", callId: part.callId, name: part.name, text, isError: result.isError });
      setting.emit({ kind: "tool-result", callId: part.callId, tool: part.name, ending: kind, isError: result.isError, text });
    };
    if (ending || fault !== undefined) answer("not-started", ownWords("Not started: the run is ending."));
    else if (setting.signal.aborted) answer("not-started", ownWords("Cancelled before it started."));
    else if (problem !== null) answer("malformed", ownWords(problem));
    else if (counted >= MAX_COUNTED_CALLS || index >= MAX_CALLS) answer("not-started", ownWords(`Not started: at most ${MAX_COUNTED_CALLS} calls are run in one turn. Send the rest in the next one.`));
    else {
      const end = await performOne({ id: part.callId, name: part.name, input: part.input }, setting);
      if (end.kind === "fault") {
        fault = end.error;
        answer("fault", ownWords("Warder failed while it handled this call. The run is ending."));
        continue;
      }
      if (end.value.kind !== "unknown-tool") counted += 1;
      const verdict = setting.watchRepetition(describeCall(end.value, part), sha256(renderResult(end.value.result, "")));
      answer(end.value.kind, end.value.result, verdict.kind === "fine" ? "" : `the same call with the same outcome ${verdict.times} times in a row; do something else, or stop and say what is missing`);
      ending = endingOf(end.value, verdict);
    }
  }
  if (fault instanceof AgentError) ending = { end: { kind: "failed", code: fault.code }, reason: fault.message };
  else if (fault !== undefined) throw fault;
  return { results, ending };
}

function describeCall(end: CallEnd, part: ToolCallPart): string {
  return `${end.ruling?.tool ?? part.name} ${canonicalJson(part.input)}`;
}

function endingOf(end: CallEnd, verdict: RepetitionVerdict): Batch["ending"] {
  if (end.kind === "budget") return { end: { kind: "budget" }, reason: end.ruling?.decision.reason ?? "The policy's budget is spent." };
  if (verdict.kind === "stop") return { end: { kind: "limit", limit: "repetition" }, reason: `The model repeated the same calls with the same outcome ${verdict.times} times in a row.` };
  return null;
}

type Performed = { readonly kind: "ended"; readonly value: CallEnd } | { readonly kind: "fault"; readonly error: unknown };

const GAVE_UP: CallEnd = { kind: "cancelled", ruling: null, result: ownWords("Cancelled. It did not end in time, so what it did until then is unknown.") };

async function performOne(call: ToolCall, setting: CallSetting): Promise<Performed> {
  const emit = (event: GateEvent) => setting.emit(event);
  try {
    const running = setting.runToolCall(call, { signal: setting.signal, emit });
    const first = await orCancelled(running, setting.signal);
    if (first !== CANCELLED) return { kind: "ended", value: first };
    const isEnded = new AbortController();
    const second = await Promise.race([running.finally(() => isEnded.abort()), waitFor(CANCEL_GRACE_MS, isEnded.signal).then(() => GAVE_UP)]);
    return { kind: "ended", value: second };
  } catch (error) {
    // Kept until every sibling is answered; the caller throws it again or ends the run with it.
    return { kind: "fault", error };
  }
}
