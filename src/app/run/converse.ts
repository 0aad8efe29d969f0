import { COMPACT_AT_TOKENS } from "../../agent/history/sum-up.ts";
import type { Inbox, Words } from "../../agent/inbox.ts";
import type { Strategy } from "../../agent/calls/schedule.ts";
import { runAgent } from "../../agent/loop.ts";
import type { AgentEvent } from "../../agent/events.ts";
import { type Continuation, continuationOf } from "../../agent/journal.ts";
import type { RunReport } from "../../agent/run-end.ts";
import type { SpendingMeter, TimeMeter } from "../../agent/spending.ts";
import { systemPrompt } from "../../agent/system-prompt.ts";
import { createTally, type Tally } from "../../agent/tally.ts";
import { redactFor } from "../../audit/entries/redact.ts";
import { storedBeginning } from "../../audit/entries/stored-value.ts";
import { appendAudit } from "../../audit/log/log.ts";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { recordMove } from "../../gate/budget-record.ts";
import type { Gate } from "../../gate/create-gate.ts";
import type { Emit, RunToolCall } from "../../gate/gate.ts";
import type { Hook } from "../../gate/hooks/hook.ts";
import { isStopped } from "../../gate/stop-switch.ts";
import { untilStopped } from "../../gate/stop-watch.ts";
import type { Policy } from "../../policy/policy.ts";
import { DELEGATES } from "../../policy/tool-names.ts";
import { gapOf, policyGate, type ToolGate } from "../../tools/availability.ts";
import { withFallbacks } from "../../providers/fallback.ts";
import type { Price } from "../../providers/prices/price.ts";
import { type OutputSchema, STRUCTURED_OUTPUT, type StructuredOutput, structuredOutput } from "../../tools/run/structured-output.ts";
import { isCallableInScripts, shownDefinitions } from "../../tools/registry.ts";
import type { ToolCallPart } from "../../providers/contract/message.ts";
import type { Session } from "../../sandbox/runtime.ts";
import type { ToolSearch } from "../../tools/run/tool-search.ts";
import { delegateOf, type ChildWork, type Family } from "../children/children.ts";
import { descendantsOf, takenBy } from "../children/family.ts";
import { askedModels } from "../models/answering.ts";
import type { OpenModels } from "../models/open-models.ts";
import { sampling } from "../models/sample.ts";
import { scriptsOf } from "../scripts/run-script.ts";
import type { GapOf } from "./gaps.ts";
import { answerOfBegun, answerWhatHadBegun } from "./interrupted-call.ts";
import { allSteps, journalOf, namesCalled, readSteps } from "./journal.ts";
import type { TurnKeeper } from "./keep-turns.ts";
import { recordedHooks } from "../hooks/recorded.ts";
import { amountsOf, recordedSpending, spendingMeter } from "./spending.ts";

/** What the conversations of a run and of its sub-agents have in common. */
export type Talk = Family & {
  readonly models: OpenModels;
  /** The result that the run itself has to give; null: its words are enough. */
  readonly wanted: StructuredOutput | null;
  readonly hooks: readonly Hook[];
  readonly gapOf: GapOf;
  readonly search: ToolSearch;
  readonly strategy: Strategy | undefined;
  readonly isUnattended: boolean;
  /** It began read-only, with a plan to be made. */
  readonly isPlanning: boolean;
  readonly time: TimeMeter;
};

/** One conversation: of the run, or of one of its sub-agents. */
export type Speaker = {
  readonly runId: string;
  readonly task: string;
  readonly depth: number;
  readonly gate: Gate;
  /** That its calls work in. */
  readonly session: Session;
  /** Policies that bind it beside the run's, nearest last; and the runs above it. */
  readonly narrowing: readonly Policy[];
  readonly above: readonly string[];
  readonly tallyAbove: Tally | null;
  readonly continuation: Continuation | null;
  /** Keeps what each of its turns leaves; null: those of the run above it are kept. */
  readonly turns: TurnKeeper | null;
  readonly inbox?: Inbox;
  /** What a person gave with its task. */
  readonly images?: Words["images"];
  /** Ends the call that goes on, and not the run; asked for anew with each call. */
  readonly callSignal?: () => AbortSignal;
  readonly signal: AbortSignal;
  readonly emit: Emit<AgentEvent>;
};

/** Of what a model failed with, in a record. */
const MAX_REASON = 512;

/** Of a context window: the rest is for the answer, and for what a turn brings before it is summed up. */
const USED_OF_WINDOW = 0.7;

/** A conversation to its end. The end tells what it took with all its sub-agents. */
export async function converse(talk: Talk, speaker: Speaker): Promise<RunReport> {
  const { records, policy, workspace, isUnattended } = talk;
  const { audit, store } = records;
  const { runId, gate, depth } = speaker;
  const { providers, small, contextTokens, prices, priceOf } = talk.models;
  const tally = createTally(policy.limits.run, speaker.tallyAbove, takenBefore(talk, runId));
  const emit: Emit<AgentEvent> = (event) => {
    if (event.kind === "turn-start") tally.take({ turns: 1 });
    if (event.kind === "run-end") return speaker.emit({ ...event, end: { ...event.end, ...tally.total() } });
    return speaker.emit(event.kind === "run-start" ? { ...event, task: redactFor(audit)(event.task) } : event);
  };
  const tell = <Event>(event: Event): Event & { readonly runId: string; readonly atMs: number } => ({ ...event, runId, atMs: systemClock.nowMs() });
  const asked = askedModels(providers[0].id);
  const several = withFallbacks(providers, {
    monotonicMs: () => systemClock.monotonicMs(),
    onSwitch: ({ from, to, reason: said }) => {
      const reason = storedBeginning(said, redactFor(audit), MAX_REASON);
      appendAudit(audit, { run: runId, payload: { kind: "model-switched", from, to, reason } });
      emit(tell({ kind: "model-switch", from, to, reason } as const));
    },
  });
  const answering = asked.noted(several, several.answering);
  const answered = (): Price | null => priceOf(asked.last());
  const watch = untilStopped(store, speaker.signal, { run: [runId, ...speaker.above] });
  // What a meter knows of a conversation's length is of that one alone.
  const meter = (): SpendingMeter =>
    recordedSpending(spendingMeter(gate.budget, { all: prices, answered }), (usage) => {
      tally.take({ usage });
      recordMove(audit, gate.budget, null, amountsOf(usage, answered()));
    });
  const sample = sampling({ provider: answering, model: asked.last, spending: meter(), isSpent: () => tally.limit()?.reason ?? null });
  const delegate = delegateOf(talk, { runId, depth, gate, session: speaker.session }, workOf(talk, speaker, { tally, emit }));
  const perform: RunToolCall = async (call, given) => {
    await speaker.turns?.settled();
    const signal = speaker.callSignal === undefined ? given.signal : AbortSignal.any([given.signal, speaker.callSignal()]);
    const result = await gate.runToolCall(call, { ...given, signal, delegate, sample });
    // A call that the stop switch ended is no reason to ask the model what next.
    watch.look();
    return result;
  };
  const functions = talk.tools.names.filter(isCallableInScripts);
  const answerOfBegunHere = (call: ToolCallPart) => answerOfBegun(audit, runId, call);
  const runScript = scriptsOf({ audit, runId, functions, runToolCall: perform, planCall: gate.planCall, seen: gate.seen, answerOfBegun: answerOfBegunHere });
  const gates = gatesOf(talk, speaker);
  // What a conversation called before it was suspended, it knows.
  talk.search.show(namesCalled(allSteps(store, runId)).flatMap((name) => talk.tools.find(name)?.name ?? []));
  try {
    const report = await runAgent({
      runId,
      task: speaker.task,
      workspace,
      provider: speaker.turns === null ? answering : speaker.turns.noted(answering),
      systemPrompt: systemPrompt({ workspace, policy: policy.name, isUnattended, isSubAgent: depth > 0, isPlanning: depth === 0 && talk.isPlanning }),
      tools: () => {
        const offered = talk.tools.toolDefinitions((tool) => gapOf(gates, tool) === null);
        return shownDefinitions(talk.search.shown(offered), offered);
      },
      runToolCall: async (call, given) => await perform(call, { ...given, runScript }),
      planCall: gate.planCall,
      traitsOf: gate.traitsOf,
      ...(talk.wanted === null || depth > 0 ? {} : { output: { tool: STRUCTURED_OUTPUT, isGiven: () => talk.wanted?.given() !== null } }),
      ...(speaker.inbox === undefined ? {} : { inbox: speaker.inbox }),
      ...(speaker.images === undefined ? {} : { images: speaker.images }),
      ...(talk.strategy === undefined ? {} : { strategy: talk.strategy }),
      hooks: recordedHooks(talk.hooks, { audit, runId }, (did) => emit(tell({ kind: "run-hook", ...did } as const))),
      limits: policy.limits.run,
      above: tally.limit,
      journal: journalOf({ audit, runId }, gate.seen, asked.last),
      history: {
        ...(small === null ? {} : { summaries: asked.noted(small, () => small.id) }),
        ...(contextTokens === null ? {} : { compactAtTokens: Math.min(COMPACT_AT_TOKENS, Math.floor(contextTokens * USED_OF_WINDOW)) }),
      },
      ...(speaker.continuation === null ? {} : { continuation: speaker.continuation }),
      spending: meter(),
      time: talk.time,
      signal: watch.signal,
      emit,
      clock: systemClock,
    });
    return { ...report, end: { ...report.end, ...tally.total() } };
  } finally {
    watch.end();
  }
}

/** How sub-agents of this conversation converse, nested in its events. */
function workOf(talk: Talk, speaker: Speaker, { tally, emit }: { readonly tally: Tally; readonly emit: Emit<AgentEvent> }): ChildWork {
  const { store } = talk.records;
  return {
    stepsOf: (runId) => readSteps(store, runId),
    resume: ({ id, task: kept }) => {
      const task = kept ?? "";
      answerWhatHadBegun(talk.records, { id, task });
      return continuationOf(task, readSteps(store, id).steps, RESUMED);
    },
    converse: async (child) =>
      await converse(talk, {
        runId: child.runId,
        task: child.task,
        depth: child.depth,
        gate: child.gate,
        session: child.session,
        narrowing: [...speaker.narrowing, ...child.narrowing],
        above: [speaker.runId, ...speaker.above],
        tallyAbove: tally,
        continuation: child.continuation,
        turns: null,
        signal: child.signal,
        emit: (event) =>
          emit({
            runId: speaker.runId,
            atMs: event.atMs,
            kind: "child-event",
            callId: child.callId,
            ...(child.name === undefined ? {} : { name: child.name }),
            event,
          }),
      }),
  };
}

const RESUMED = "[warder] You were interrupted, and go on now. Everything is measured anew; do not rely on what you remember of the state.";

function takenBefore({ records: { store } }: Talk, runId: string): ReturnType<typeof takenBy> {
  const family = [runId, ...descendantsOf(store, runId).map(({ row }) => row.id)];
  return takenBy(family.flatMap((id) => allSteps(store, id)));
}

/** The tool for a result in a wanted shape. Throws `usage` where the policy never lets the run give it. */
export function outputFor(schema: OutputSchema, policy: Policy): StructuredOutput {
  if (policyGate(policy).refuses(STRUCTURED_OUTPUT) === null) return structuredOutput(schema);
  throw new AgentError("usage", `The policy ${policy.name} does not offer ${STRUCTURED_OUTPUT}, by which a run gives its result.`, {
    remedy: "Add it to tools.allow, or ask for no shape.",
  });
}

/** What takes tools away from a conversation, asked anew for each of its turns. The gate of calls refuses them all the same. */
function gatesOf({ policy, records: { store }, gapOf: ofRun, limits }: Talk, { runId, narrowing, above, depth }: Speaker): readonly ToolGate[] {
  return [
    ...[policy, ...narrowing].map(policyGate),
    { name: "run", refuses: (tool) => ofRun(tool)?.reason ?? null },
    { name: "sub-agents", refuses: (tool) => (DELEGATES.has(tool) && depth >= limits.depth ? "A sub-agent has no sub-agents of its own." : null) },
    { name: "stop switch", refuses: (tool) => (isStopped(store, { run: [runId, ...above], tool }) ? "The stop switch is engaged." : null) },
  ];
}
