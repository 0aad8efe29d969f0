import type { Clock } from "../base/clock.ts";
import type { Emit, RunToolCall } from "../gate/gate.ts";
import type { AssistantPart, Message } from "../providers/contract/message.ts";
import type { ModelProvider, ModelTool, Usage } from "../providers/contract/provider.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { type CallSetting, performCalls, prepareCalls } from "./calls.ts";
import type { AgentEvent, RunEvent } from "./events.ts";
import { trimHistory } from "./history.ts";
import { callIdsOf, type Continuation, continuationOf, type Journal } from "./journal.ts";
import { countRefusals } from "./refusals.ts";
import { createRepetitionWatch } from "./repetition.ts";
import type { RunEnd, RunEnding, RunLimits, RunReport } from "./run-end.ts";
import type { SpendingMeter, TimeMeter } from "./spending.ts";
import { addUsage, countedTokens, usageOf } from "./usage.ts";

export type AgentOptions = {
  readonly runId: string;
  readonly task: string;
  readonly workspace: string;
  readonly provider: ModelProvider;
  readonly systemPrompt: string;
  readonly tools: readonly ModelTool[];
  /** The gate's door. The loop knows no tool. */
  readonly runToolCall: RunToolCall;
  readonly limits: RunLimits;
  /** Where each step is kept before the next. */
  readonly journal: Journal;
  /** Where to go on; absent: a new run. */
  readonly continuation?: Continuation;
  /** What answers cost, counted over many runs; absent: nobody counts. */
  readonly spending?: SpendingMeter;
  /** The time that many runs take; absent: nobody counts. */
  readonly time?: TimeMeter;
  /** Aborting it ends the run: the model's stream at once, a running call as fast as the gate can. */
  readonly signal: AbortSignal;
  /** Must not throw. */
  readonly emit: Emit<AgentEvent>;
  readonly clock: Clock;
};

/** setTimeout takes no more than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What one run knows while it goes on. */
type Run = {
  readonly options: AgentOptions;
  readonly messages: Message[];
  readonly emit: Emit<RunEvent>;
  /** Aborts when the person cancels or the time is over. */
  readonly stop: AbortSignal;
  readonly startedMs: number;
  readonly usedIds: Set<string>;
  readonly calls: CallSetting;
  readonly journal: Journal["record"];
  readonly elapsedMs: () => number;
  turns: number;
  usage: Usage;
  text: string;
};

type Ending = { readonly end: RunEnding; readonly reason: string };

/**
 * Runs a task to its end: asks the model, has its calls performed, and so on until it calls nothing, a limit is
 * reached, something fails or the signal aborts. Every call of the returned conversation is answered exactly once,
 * directly after its message and in order. Throws only what is neither the model's nor the network's fault.
 */
export async function runAgent(options: AgentOptions): Promise<RunReport> {
  const deadline = new AbortController();
  const continuation = options.continuation ?? continuationOf(options.task, []);
  // Time that a run spent suspended is not its own; what it had spent before is.
  const leftMs = Math.max(0, options.limits.minutes * 60_000 - continuation.elapsedMs);
  const timer = setTimeout(() => deadline.abort(), Math.min(leftMs, LONGEST_TIMER_MS));
  try {
    const run = startRun(
      options,
      continuation,
      AbortSignal.any([options.signal, deadline.signal, ...(options.time === undefined ? [] : [options.time.signal])]),
    );
    let ending: Ending | null = hasAnswered(continuation) ? answeredEnding(run) : await finishBatch(run, continuation);
    while (!ending) ending = await takeTurn(run);
    const end: RunEnd = { ...ending.end, reason: ending.reason, text: run.text, turns: run.turns, usage: run.usage };
    run.emit({ kind: "run-end", end });
    return { end, messages: run.messages };
  } finally {
    clearTimeout(timer);
  }
}

function startRun(options: AgentOptions, continuation: Continuation, stop: AbortSignal): Run {
  const emit = (event: RunEvent) => options.emit({ runId: options.runId, atMs: options.clock.nowMs(), ...event });
  const isResumed = options.continuation !== undefined;
  emit({ kind: "run-start", task: options.task, model: options.provider.id, isScripted: options.provider.isScripted, workspace: options.workspace, isResumed });
  const startedMs = options.clock.monotonicMs() - continuation.elapsedMs;
  const elapsedMs = (): number => Math.round(options.clock.monotonicMs() - startedMs);
  const journal = options.journal.record;
  const record: CallSetting["record"] = (part, mark) => journal({ kind: "result", part, elapsedMs: elapsedMs(), ...(mark === undefined ? {} : { mark }) });
  return {
    options,
    messages: [...continuation.messages],
    emit,
    stop,
    startedMs,
    usedIds: callIdsOf(continuation.messages),
    calls: {
      runToolCall: options.runToolCall,
      signal: stop,
      emit,
      watchRepetition: createRepetitionWatch(),
      refusals: countRefusals(continuation.marks),
      record,
    },
    journal,
    elapsedMs,
    turns: continuation.turns,
    usage: continuation.usage,
    text: continuation.text,
  };
}

/** Whether the run had finished but for its end: the last answer called nothing, so asking again would be a turn too many. */
function hasAnswered({ messages, calls }: Continuation): boolean {
  return calls.length === 0 && messages.at(-1)?.kind === "assistant";
}

/** Answers what was open when the run was suspended, and tells the model what it must know. */
async function finishBatch(run: Run, { calls, results, note }: Continuation): Promise<Ending | null> {
  if (calls.length > 0) {
    const batch = await performCalls(calls.slice(results.length), run.calls);
    if (batch.ending?.end.kind === "parked") return batch.ending;
    run.messages.push({ kind: "tool", results: [...results, ...batch.results] });
    if (batch.ending !== null) return batch.ending;
  }
  if (note !== "") {
    run.journal({ kind: "note", text: note, elapsedMs: run.elapsedMs() });
    run.messages.push({ kind: "user", text: note });
  }
  return reachedEnd(run);
}

async function takeTurn(run: Run): Promise<Ending | null> {
  const limit = reachedLimit(run);
  if (limit) return limit;
  const wanted = { system: run.options.systemPrompt, messages: trimHistory(run.messages), tools: run.options.tools };
  const allowance = run.options.spending?.reserve(wanted) ?? null;
  if (allowance?.kind === "spent") return { end: { kind: "budget" }, reason: allowance.reason };
  const maxOutputTokens = allowance?.maxOutputTokens ?? null;
  const request = maxOutputTokens === null ? wanted : { ...wanted, maxOutputTokens };
  run.turns += 1;
  const turn = run.turns;
  run.emit({ kind: "turn-start", turn });
  const answer = await readAnswer(run.options.provider.stream(request, run.stop), (text) => run.emit({ kind: "message-delta", turn, text }));
  const usage = usageOf(answer, request);
  run.usage = addUsage(run.usage, usage);
  allowance?.settle(usage);
  if (answer.text !== "") run.text = answer.text;
  const calls = prepareCalls(answer.calls, { usedIds: run.usedIds, isCut: answer.ending.kind === "finish" && answer.ending.reason === "length" });
  const parts: AssistantPart[] = [...answer.parts, ...calls.map((call) => call.part)];
  run.emit({
    kind: "message-end",
    turn,
    text: answer.text,
    calls: calls.map(({ part }) => ({ callId: part.callId, name: part.name, input: part.input })),
    finish: answer.ending.kind === "finish" ? answer.ending.reason : "error",
  });
  const broken = brokenAnswer(run, answer);
  if (broken) {
    // Calls of an answer that is not whole are not run, so they are not part of the conversation either.
    if (answer.text !== "") run.messages.push({ kind: "assistant", parts: [{ kind: "text", text: answer.text }] });
    // What was begun is paid for: a run that goes on does not begin its limits anew. What a server refused at once was no turn.
    if (countedTokens(usage) > 0) run.journal({ kind: "message", parts: [], text: answer.text, usage, problems: {}, elapsedMs: run.elapsedMs() });
    run.emit({ kind: "turn-end", turn, usage });
    return broken;
  }
  if (parts.length > 0) run.messages.push({ kind: "assistant", parts });
  const problems = Object.fromEntries(calls.flatMap(({ part, problem }) => (problem === null ? [] : [[part.callId, problem]])));
  run.journal({ kind: "message", parts, text: answer.text, usage, problems, elapsedMs: run.elapsedMs() });
  const batch = calls.length > 0 ? await performCalls(calls, run.calls) : null;
  if (batch && batch.ending?.end.kind !== "parked") run.messages.push({ kind: "tool", results: batch.results });
  run.emit({ kind: "turn-end", turn, usage });
  if (!batch) return answeredEnding(run);
  return batch.ending ?? reachedEnd(run);
}

/** The model calls nothing more: it is done, unless it was refused and came to nothing. */
function answeredEnding({ calls }: Run): Ending {
  const failure = calls.refusals.unsuccessful();
  if (failure === null) return { end: { kind: "done" }, reason: "" };
  const { rule, refused, calls: all, isLook } = failure;
  const count = `${refused} of ${all} ${all === 1 ? "call was" : "calls were"} refused, the last by rule ${rule}`;
  return { end: { kind: "denied", rule }, reason: `${count}, and no other ${isLook ? "succeeded" : "changed anything"}.` };
}

/** Cancelled, or out of its own time or everybody's; null while the run may go on. */
function reachedEnd(run: Run): Ending | null {
  if (run.options.signal.aborted) return { end: { kind: "cancelled" }, reason: cancelReason(run.options.signal) };
  const { limits, time } = run.options;
  if (time?.signal.aborted === true) return { end: { kind: "budget" }, reason: time.reason() };
  const { minutes } = limits;
  const isLate = run.stop.aborted || run.options.clock.monotonicMs() - run.startedMs >= minutes * 60_000;
  return isLate ? { end: { kind: "limit", limit: "minutes" }, reason: `The run reached its limit of ${minutes} minutes.` } : null;
}

/** Who aborts may say why. */
function cancelReason({ reason }: AbortSignal): string {
  return typeof reason === "string" ? reason : "The run was cancelled.";
}

function reachedLimit(run: Run): Ending | null {
  const { turns, tokens } = run.options.limits;
  const end = reachedEnd(run);
  if (end) return end;
  if (run.turns >= turns) return { end: { kind: "limit", limit: "turns" }, reason: `The run reached its limit of ${turns} turns.` };
  if (countedTokens(run.usage) >= tokens) return { end: { kind: "limit", limit: "tokens" }, reason: `The run reached its limit of ${tokens} tokens.` };
  return null;
}

/** Why an answer cannot be used; null when it can. */
function brokenAnswer(run: Run, answer: Answer): Ending | null {
  const failed = (reason: string): Ending => ({ end: { kind: "failed", code: "provider-failed" }, reason });
  if (answer.ending.kind === "error") return { end: { kind: "failed", code: answer.ending.failure.code }, reason: answer.ending.failure.message };
  switch (answer.ending.reason) {
    case "cancelled":
      return reachedEnd(run) ?? failed("The model's stream was cancelled by nobody.");
    case "interrupted":
      return failed("The model's answer stopped in the middle.");
    case "content-filter":
      return failed("The provider's content filter stopped the answer.");
    case "length":
      return answer.calls.length > 0 ? null : failed("The model's answer was cut at its output limit.");
    case "stop":
    case "tool-calls":
    case "other":
      return null;
  }
}
