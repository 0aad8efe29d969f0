import { existsSync } from "node:fs";
import { join } from "node:path";
import { COMPACT_AT_TOKENS } from "../../agent/history/sum-up.ts";
import { runAgent, type AgentOptions } from "../../agent/loop.ts";
import type { Inbox } from "../../agent/inbox.ts";
import type { Strategy } from "../../agent/calls/schedule.ts";
import type { Emit } from "../../gate/gate.ts";
import type { AgentEvent } from "../../agent/events.ts";
import type { Continuation } from "../../agent/journal.ts";
import type { RunEnd, RunReport } from "../../agent/run-end.ts";
import { recordedHooks } from "./recorded-hooks.ts";
import { systemPrompt } from "../../agent/system-prompt.ts";
import type { ApprovalChannel } from "../../approvals/channel.ts";
import { redactFor } from "../../audit/entries/redact.ts";
import { storedBeginning } from "../../audit/entries/stored-value.ts";
import { appendAudit } from "../../audit/log/log.ts";
import { systemClock } from "../../base/clock.ts";
import { budgetOf } from "../../budgets/accounts.ts";
import { AgentError } from "../../base/errors.ts";
import { withFallbacks } from "../../providers/fallback.ts";
import type { Price } from "../../providers/prices/price.ts";
import { recordMove } from "../../gate/budget-record.ts";
import { isStopped, STOPPED_ADVICE, stoppedAdvice } from "../../gate/stop-switch.ts";
import { untilStopped } from "../../gate/stop-watch.ts";
import { keepsChanges } from "../../sandbox/runtime.ts";
import { withRecords } from "../records/records.ts";
import { askedModels } from "../models/answering.ts";
import { type OpenModels, openModels, type OwnModel } from "../models/open-models.ts";
import { type ModelShare, sharesOf } from "../models/spent.ts";
import { type RunSummary, summarise } from "./summary.ts";
import { journalOf, readSteps } from "./journal.ts";
import { openRun, type ResumedRun, type RunDescription, type SandboxedRun } from "./open.ts";
import { amountsOf, recordedSpending, spendingMeter } from "./spending.ts";
import type { WorkspaceContext } from "../setup/context.ts";
import { startTimeLease } from "./time-budget.ts";

export type AgentRunOptions = {
  readonly task: string;
  /** As `--model` takes it, or an embedding program's own. */
  readonly model: string | OwnModel;
  readonly isUnattended: boolean;
  /** The job that it is a run of, whose limits hold too; absent for one that a person starts. */
  readonly job?: string | null;
  /** The identifier of the run, where somebody has to know it before it starts; absent: one is made. */
  readonly runId?: string;
  /** How an embedding program reaches a person, in place of the terminal; absent: the terminal, or nobody in an unattended run. */
  readonly channels?: readonly ApprovalChannel[];
  readonly lendTerminal?: RunDescription["lendTerminal"];
  /** As in a run's description. */
  readonly tools?: RunDescription["tools"];
  readonly hooks?: RunDescription["hooks"];
  readonly runtime?: RunDescription["runtime"];
  /** What a person says while it goes on, and how the calls of a turn are carried out. As in the loop's options. */
  readonly inbox?: Inbox;
  readonly strategy?: Strategy;
  /** Aborts the calls that go on now, and not the run: the model hears that they were cancelled. Asked for as each call begins; absent: nobody does. */
  readonly callSignal?: () => AbortSignal;
  readonly onOpen?: RunDescription["onOpen"];
  readonly signal: AbortSignal;
  readonly emit: Emit<AgentEvent>;
};

export type AgentRunResult = {
  readonly runId: string;
  readonly end: RunEnd;
  /** Nobody was there to watch it, whoever reads its end. */
  readonly isUnattended: boolean;
  readonly summary: RunSummary;
};

/** One task from prompt to end: model, sandbox, gate, loop. Whatever happens, the sandbox is closed and the end recorded. */
export async function runTask(context: WorkspaceContext, options: AgentRunOptions): Promise<AgentRunResult> {
  return await drive(context, options, null);
}

/** Goes on with a run that this process has taken over. */
export async function continueTask(
  context: WorkspaceContext,
  options: AgentRunOptions,
  resumed: ResumedRun & { readonly continuation: Continuation },
): Promise<AgentRunResult> {
  return await drive(context, options, resumed);
}

/** Of what a model failed with, in a record. */
const MAX_REASON = 512;

/** Of a context window: the rest is for the answer, and for what a turn brings before it is summed up. */
const USED_OF_WINDOW = 0.7;

type Resumed = (ResumedRun & { readonly continuation: Continuation }) | null;

async function drive(context: WorkspaceContext, options: AgentRunOptions, resumed: Resumed): Promise<AgentRunResult> {
  refuseUnderStop(resumed?.id);
  const models = await openModels(options.model, context);
  try {
    const { task, model, isUnattended, runId, channels, lendTerminal, tools, hooks, runtime, onOpen, job = null } = options;
    const run = await openRun(context, {
      task,
      model: typeof model === "string" ? model : model.provider.id,
      job,
      isScripted: models.providers.some((provider) => provider.isScripted),
      secrets: models.secrets,
      canAsk: !isUnattended,
      ...(runId === undefined ? {} : { runId }),
      ...(channels === undefined ? {} : { channels }),
      ...(lendTerminal === undefined ? {} : { lendTerminal }),
      ...(tools === undefined ? {} : { tools }),
      ...(hooks === undefined ? {} : { hooks }),
      ...(runtime === undefined ? {} : { runtime }),
      onHookCommand: (ran, ofRun) => void options.emit({ runId: ofRun, atMs: systemClock.nowMs(), kind: "hook-command", ...ran }),
      ...(onOpen === undefined ? {} : { onOpen }),
      ...(resumed === null ? {} : { resumed }),
    });
    return await driveRun(run, context, { ...options, models, continuation: resumed?.continuation ?? null });
  } finally {
    await models.close();
  }
}

type DriveOptions = AgentRunOptions & { readonly models: OpenModels; readonly continuation: Continuation | null };

async function driveRun(run: SandboxedRun, context: WorkspaceContext, options: DriveOptions): Promise<AgentRunResult> {
  try {
    const { end } = await converse(run, context, options);
    await run.session.stopJobs();
    const changes = keepsChanges(run.session.profile) ? (await run.session.changes()).map((change) => change.path) : null;
    const models = answeredBy(run, options);
    const isForBranch = options.isUnattended && existsSync(join(context.workspace, ".git"));
    const summary = summarise({ audit: run.records.audit, run: run.id, task: options.task, end, changes, isForBranch, models });
    await (end.kind === "parked" ? run.park(end.approvalId) : run.end(end.kind, end.reason === "" ? undefined : end.reason));
    return { runId: run.id, end, isUnattended: options.isUnattended, summary };
  } catch (error) {
    await run.end("failed", error instanceof AgentError ? error.code : "fault");
    throw error;
  }
}

/** The conversation itself; its time is counted while it goes on. */
async function converse(run: SandboxedRun, { policy, workspace }: WorkspaceContext, options: DriveOptions): Promise<RunReport> {
  const budget = budgetOf(policy, { workspace, runId: run.id, job: options.job ?? null }, { store: run.records.store, clock: systemClock });
  const { audit } = run.records;
  const startedMs = systemClock.monotonicMs();
  const { providers, small, contextTokens, prices, priceOf } = options.models;
  const asked = askedModels(providers[0].id);
  const several = withFallbacks(providers, {
    monotonicMs: () => systemClock.monotonicMs(),
    onSwitch: ({ from, to, reason: said }) => {
      const reason = storedBeginning(said, redactFor(audit), MAX_REASON);
      appendAudit(audit, { run: run.id, payload: { kind: "model-switched", from, to, reason } });
      options.emit({ runId: run.id, atMs: systemClock.nowMs(), kind: "model-switch", from, to, reason });
    },
  });
  const provider = asked.noted(several, several.answering);
  const answered = (): Price | null => priceOf(asked.last());
  const pricing = { all: prices, answered };
  const time = startTimeLease(budget, systemClock);
  const watch = untilStopped(run.records.store, options.signal, { run: run.id });
  try {
    return await runAgent({
      runId: run.id,
      task: options.task,
      workspace,
      provider,
      systemPrompt: systemPrompt({ workspace, policy: policy.name, isUnattended: options.isUnattended }),
      tools: run.tools.toolDefinitions((tool) => isOffered(policy.tools, tool)),
      runToolCall: async (call, given) => {
        const signal = options.callSignal === undefined ? given.signal : AbortSignal.any([given.signal, options.callSignal()]);
        const result = await run.gate.runToolCall(call, { ...given, signal });
        // A call that the stop switch ended is no reason to ask the model what next.
        watch.look();
        return result;
      },
      planCall: run.gate.planCall,
      traitsOf: run.gate.traitsOf,
      ...conversationOf(options),
      hooks: recordedHooks(run.hooks, { audit, runId: run.id }, (did) => options.emit({ runId: run.id, atMs: systemClock.nowMs(), kind: "run-hook", ...did })),
      limits: policy.limits.run,
      journal: journalOf({ audit: run.records.audit, runId: run.id }, run.gate.seen, asked.last),
      history: {
        ...(small === null ? {} : { summaries: asked.noted(small, () => small.id) }),
        ...(contextTokens === null ? {} : { compactAtTokens: Math.min(COMPACT_AT_TOKENS, Math.floor(contextTokens * USED_OF_WINDOW)) }),
      },
      ...(options.continuation === null ? {} : { continuation: options.continuation }),
      spending: recordedSpending(spendingMeter(budget, pricing), (usage) => recordMove(audit, budget, null, amountsOf(usage, answered()))),
      time,
      signal: watch.signal,
      emit: (event) => options.emit(event.kind === "run-start" ? { ...event, task: redactFor(audit)(event.task) } : event),
      clock: systemClock,
    });
  } finally {
    watch.end();
    time.end();
    recordMove(audit, budget, null, { minutes: Math.ceil(systemClock.monotonicMs() - startedMs) });
  }
}

/** What each model answered, over all suspensions of the run. */
function answeredBy(run: SandboxedRun, { models }: DriveOptions): readonly ModelShare[] {
  const [first] = models.providers;
  const answers = readSteps(run.records.store, run.id).steps.flatMap((step) =>
    step.kind !== "result" && step.usage !== undefined ? [{ model: step.model ?? first.id, usage: step.usage }] : [],
  );
  return sharesOf(answers, models.priceOf);
}

function conversationOf({ inbox, strategy }: AgentRunOptions): Pick<AgentOptions, "inbox" | "strategy"> {
  return { ...(inbox && { inbox }), ...(strategy && { strategy }) };
}

/** Under an engaged stop switch no model is asked anything. */
function refuseUnderStop(run: string | undefined): void {
  withRecords(({ store }) => {
    if (isStopped(store, run === undefined ? {} : { run })) throw new AgentError("usage", run === undefined ? STOPPED_ADVICE : stoppedAdvice(store, run));
  });
}

/** A tool that the policy denies is not offered; the gate refuses it all the same. */
function isOffered(tools: { readonly allow: readonly string[]; readonly deny: readonly string[] }, name: string): boolean {
  return (tools.allow.includes("*") || tools.allow.includes(name)) && !tools.deny.includes(name);
}
