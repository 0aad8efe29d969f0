import type { Clock } from "../base/clock.ts";
import type { Emit, PlanCall, RunToolCall, TraitsOf } from "../gate/gate.ts";
import { createRunHooks, type RunHooks } from "../gate/hooks/run-hooks.ts";
import type { AssistantPart, Message } from "../providers/contract/message.ts";
import type { ModelProvider, ModelTool, Usage } from "../providers/contract/provider.ts";
import { readAnswer } from "./answer.ts";
import { type CallSetting, performCalls } from "./calls/perform.ts";
import { prepareCalls } from "./calls/prepare.ts";
import { countRefusals } from "./calls/refusals.ts";
import { createRepetitionWatch } from "./calls/repetition.ts";
import { checkedStrategy, DEFAULT_STRATEGY, type Strategy } from "./calls/schedule.ts";
import { answeredEnding, blockedEnding, brokenAnswer, type Ending, reachedEnd, reachedLimit } from "./endings.ts";
import type { AgentEvent, RunEvent } from "./events.ts";
import { caughtUp } from "./watching.ts";
import { compact } from "./history/compact.ts";
import { COMPACT_AT_TOKENS } from "./history/sum-up.ts";
import { trimHistory } from "./history/trim.ts";
import { hear, note, show, warn } from "./hearing.ts";
import { type Inbox, inboxOf, type Words } from "./inbox.ts";
import { type Continuation, continuationOf, hasAnswered, inOrder, type Journal, openCalls } from "./journal.ts";
import { MAX_OUTPUT_REQUESTS, outputRequest, type WantedOutput, withoutOutput } from "./output.ts";
import type { RunEnd, RunLimits, RunReport } from "./run-end.ts";
import type { SpendingMeter, TimeMeter } from "./spending.ts";
import { addUsage, countedTokens, usageOf } from "./usage.ts";

export type AgentOptions = {
  readonly runId: string;
  readonly task: string;
  /** What a person gave with it. */ readonly images?: Words["images"];
  readonly workspace: string;
  readonly provider: ModelProvider;
  readonly systemPrompt: string;
  /** What the model is told that it may call: asked for anew with each turn. */
  readonly tools: () => readonly ModelTool[];
  /** The gate's door. The loop knows no tool. */
  readonly runToolCall: RunToolCall;
  /** What the gate knows of a call before it is judged. */
  readonly planCall: PlanCall;
  /** What it knows of a tool; absent: nothing, and all results are kept alike. */
  readonly traitsOf?: TraitsOf;
  /** When the beginning of a long conversation is summed up, in tokens of one request (absent: 150,000), and by which model (absent: the run's own). */
  readonly history?: { readonly compactAtTokens?: number; readonly summaries?: ModelProvider };
  /** A limit beside its own, which counts what other runs of its family took; absent: none. */
  readonly above?: () => Ending | null;
  /** How the calls of one turn are carried out; absent: up to eight at once. `sequential` pins the run to one at a time, whatever its tools say. */
  readonly strategy?: Strategy;
  /** What a person says on the way; absent: nothing. */
  readonly inbox?: Inbox;
  /** Look at the run as it begins, stops and parks, and at all that a person says; absent: none. */
  readonly hooks?: RunHooks;
  /** What it has to give before it is done; absent: words are enough. */
  readonly output?: WantedOutput;
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

/** How often hooks may have a run go on whose model is done. */
const MAX_PUT_OFF = 3;
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
  readonly hooks: RunHooks;
  turns: number;
  usage: Usage;
  text: string;
  /** What the last request had, as the provider counted it; and from how many on the conversation is summed up. */
  readTokens: number;
  compactAtTokens: number;
  putOff: number;
  outputRequests: number;
};

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
    let ending: Ending | null = (await begin(run, continuation)) ?? (hasAnswered(continuation) ? await answered(run) : await finishBatch(run, continuation));
    while (!ending) ending = await takeTurn(run);
    if (ending.end.kind === "parked") await run.hooks.park({ runId: options.runId, approvalId: ending.end.approvalId }, run.stop);
    const end: RunEnd = { ...ending.end, reason: ending.reason, text: run.text, turns: run.turns, usage: run.usage };
    run.emit({ kind: "run-end", end });
    return { end, messages: run.messages };
  } finally {
    clearTimeout(timer);
  }
}

function startRun(options: AgentOptions, continuation: Continuation, stop: AbortSignal): Run {
  const emit = (event: RunEvent) => options.emit({ runId: options.runId, atMs: options.clock.nowMs(), ...event });
  const { task, workspace, provider } = options;
  emit({ kind: "run-start", task, model: provider.id, isScripted: provider.isScripted, workspace, isResumed: options.continuation !== undefined });
  const startedMs = options.clock.monotonicMs() - continuation.elapsedMs;
  const elapsedMs = (): number => Math.round(options.clock.monotonicMs() - startedMs);
  const journal = options.journal.record;
  const record: CallSetting["record"] = (answers) =>
    journal(...answers.map(({ part, mark }) => ({ kind: "result" as const, part, elapsedMs: elapsedMs(), ...(mark === undefined ? {} : { mark }) })));
  return {
    options,
    messages: [...continuation.messages],
    emit,
    stop,
    startedMs,
    usedIds: new Set(continuation.callIds),
    calls: {
      runToolCall: options.runToolCall,
      planCall: options.planCall,
      strategy: checkedStrategy(options.strategy ?? DEFAULT_STRATEGY),
      signal: stop,
      emit,
      hasSteering: () => inboxOf(options).hasSteering(),
      watchRepetition: createRepetitionWatch(),
      refusals: countRefusals(continuation.marks),
      record,
    },
    journal,
    elapsedMs,
    hooks: options.hooks ?? createRunHooks(),
    turns: continuation.turns,
    usage: continuation.usage,
    text: continuation.text,
    compactAtTokens: options.history?.compactAtTokens ?? COMPACT_AT_TOKENS,
    readTokens: 0,
    putOff: continuation.putOff,
    outputRequests: 0,
  };
}

/** Before a model is asked anything, hooks may say no to the run, and to a task that no model has heard. Calls that were open are answered all the same. */
async function begin(run: Run, continuation: Continuation): Promise<Ending | null> {
  const { options, hooks, stop } = run;
  const { runId, task, workspace, provider } = options;
  const isResumed = options.continuation !== undefined;
  const block = await hooks.start({ runId, task, model: provider.id, workspace, isResumed }, stop);
  if (block !== null) {
    await answerOpen(run, continuation, AbortSignal.abort());
    return blockedEnding(run, "The run was not started", block);
  }
  // A process that was killed may have left it unheard.
  if (continuation.turns > 0) return null;
  const said = await hooks.prompt({ runId, text: task, source: "task" }, stop);
  warn(run, said.warnings);
  if (said.block === null) {
    if (!isResumed) show(run, options.images);
    return null;
  }
  run.emit({ kind: "input-rejected", source: "task", text: task, reason: said.block.reason });
  return blockedEnding(run, "The task was not taken", said.block);
}

/** The model is done, if it gave what it had to. A hook may say what is left, within all limits. */
async function answered(run: Run): Promise<Ending | null> {
  const { options, hooks, text, putOff } = run;
  const ending = answeredEnding(run.calls.refusals);
  if (options.output?.isGiven() === false && ending.end.kind === "done") {
    if (run.outputRequests >= MAX_OUTPUT_REQUESTS) return withoutOutput(options.output);
    run.outputRequests += 1;
    note(run, outputRequest(options.output));
    return reachedEnd(run);
  }
  const left = putOff >= MAX_PUT_OFF ? null : await hooks.stop({ runId: options.runId, text, putOff }, run.stop);
  if (left === null) return ending;
  run.putOff += 1;
  note(run, `[warder] The program that runs you says by its hook ${left.hook} what is left to do: ${left.reason}`, { putOffBy: left.hook });
  return reachedEnd(run);
}

/** Answers what was open when the run was suspended, and tells the model what it must know. */
async function finishBatch(run: Run, continuation: Continuation): Promise<Ending | null> {
  const ending = await answerOpen(run, continuation, run.stop);
  if (ending !== null) return ending;
  if (continuation.note !== "") note(run, continuation.note);
  return reachedEnd(run);
}

async function answerOpen(run: Run, continuation: Continuation, signal: AbortSignal): Promise<Ending | null> {
  const { calls, results } = continuation;
  if (calls.length === 0) return null;
  const batch = await performCalls(openCalls(continuation), { ...run.calls, signal });
  if (batch.ending?.end.kind !== "parked") run.messages.push({ kind: "tool", results: inOrder(calls, [...results, ...batch.results]) });
  return batch.ending;
}

async function takeTurn(run: Run): Promise<Ending | null> {
  // What summing up took counts, and others of the family may have taken the last turn meanwhile.
  const limit = reachedLimit(run) ?? (run.readTokens < run.compactAtTokens ? null : await compact(run, run.options).then(() => reachedLimit(run)));
  if (limit) return limit;
  const { output, systemPrompt: system, tools } = run.options;
  // A model that forgot it once is left no choice.
  const must = output !== undefined && run.outputRequests > 0 && !output.isGiven() ? { mustCall: output.tool } : {};
  const wanted = { system, messages: trimHistory(run.messages, run.options.traitsOf), tools: tools(), ...must };
  const allowance = run.options.spending?.reserve(wanted) ?? null;
  if (allowance?.kind === "spent") return { end: { kind: "budget" }, reason: allowance.reason };
  const maxOutputTokens = allowance?.maxOutputTokens ?? null;
  const request = maxOutputTokens === null ? wanted : { ...wanted, maxOutputTokens };
  run.turns += 1;
  const turn = run.turns;
  await caughtUp(run.emit({ kind: "turn-start", turn }), run.stop);
  const stream = run.options.provider.stream(request, run.stop);
  const answer = await readAnswer(
    stream,
    (text) => run.emit({ kind: "message-delta", turn, text }),
    () => run.emit({ kind: "message-start", turn }),
  );
  const usage = usageOf(answer, request);
  run.usage = addUsage(run.usage, usage);
  allowance?.settle(usage);
  run.readTokens = usage.inputTokens;
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
  if (batch?.ending) return batch.ending;
  if (batch?.isVotedDone === true) return await answered(run);
  // Only behind all results, and before the model is asked again.
  const heard = await hear(run, inboxOf(run.options).takeSteering(), "steering");
  if (batch === null && heard === 0 && (await hear(run, inboxOf(run.options).takeFollowUps(), "follow-up")) === 0) return await answered(run);
  return reachedEnd(run);
}
