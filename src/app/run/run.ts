import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Inbox, Words } from "../../agent/inbox.ts";
import type { Strategy } from "../../agent/calls/schedule.ts";
import type { Emit } from "../../gate/gate.ts";
import type { AgentEvent } from "../../agent/events.ts";
import type { Continuation } from "../../agent/journal.ts";
import type { RunEnd, RunReport } from "../../agent/run-end.ts";
import type { ApprovalChannel } from "../../approvals/channel.ts";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { recordMove } from "../../gate/budget-record.ts";
import { isStopped, STOPPED_ADVICE, stoppedAdvice } from "../../gate/stop-switch.ts";
import { keepsChanges } from "../../sandbox/runtime.ts";
import type { OutputSchema, StructuredOutput } from "../../tools/run/structured-output.ts";
import { endDescendants } from "../children/children.ts";
import { descendantsOf } from "../children/family.ts";
import { withRecords } from "../records/records.ts";
import { type OpenModels, openModels, type OwnModel } from "../models/open-models.ts";
import { type ModelShare, sharesOf } from "../models/spent.ts";
import { type RunSummary, summarise } from "./summary.ts";
import { converse, outputFor } from "./converse.ts";
import { allSteps } from "./journal.ts";
import { keepTurns, type TurnKeeper } from "./keep-turns.ts";
import { openRun, type ResumedRun, type RunDescription, type SandboxedRun } from "./open.ts";
import type { WorkspaceContext } from "../setup/context.ts";
import { startTimeLease } from "./time-budget.ts";

export type AgentRunOptions = {
  readonly task: string;
  /** What a person gave with it; of a run that goes on, with what they say now. */
  readonly images?: Words["images"];
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
  readonly gates?: RunDescription["gates"];
  readonly plan?: RunDescription["plan"];
  readonly runtime?: RunDescription["runtime"];
  /** The shape of the result that it has to give before it is done; absent: its words are its result. */
  readonly output?: OutputSchema;
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
  /** The result in the shape that was wanted, frozen; null: none was wanted, or the run ended before it. */
  readonly output: Readonly<Record<string, unknown>> | null;
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

type Resumed = (ResumedRun & { readonly continuation: Continuation }) | null;

async function drive(context: WorkspaceContext, options: AgentRunOptions, resumed: Resumed): Promise<AgentRunResult> {
  refuseUnderStop(resumed?.id);
  const output = options.output === undefined ? null : outputFor(options.output, context.policy);
  const models = await openModels(options.model, context);
  try {
    const { task, model, isUnattended, runId, channels, lendTerminal, tools, hooks, gates, plan, runtime, onOpen, job = null } = options;
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
      ...(gates === undefined ? {} : { gates }),
      ...(plan === undefined ? {} : { plan }),
      ...(runtime === undefined ? {} : { runtime }),
      onHookCommand: (ran, ofRun) => void options.emit({ runId: ofRun, atMs: systemClock.nowMs(), kind: "hook-command", ...ran }),
      ...(output === null ? {} : { output: output.tool }),
      ...(onOpen === undefined ? {} : { onOpen }),
      ...(resumed === null ? {} : { resumed }),
    });
    return await driveRun(run, context, { ...options, models, wanted: output, continuation: resumed?.continuation ?? null });
  } finally {
    await models.close();
  }
}

type DriveOptions = AgentRunOptions & { readonly models: OpenModels; readonly wanted: StructuredOutput | null; readonly continuation: Continuation | null };
type ConverseOptions = DriveOptions & { readonly turns: TurnKeeper };

async function driveRun(run: SandboxedRun, context: WorkspaceContext, options: DriveOptions): Promise<AgentRunResult> {
  try {
    const turns = keepTurns(run, (turn, reason) => {
      options.emit({ runId: run.id, atMs: systemClock.nowMs(), kind: "turn-not-kept", turn, reason });
    });
    const { end } = await talkToEnd(run, context, { ...options, turns });
    if (end.kind !== "parked") endDescendants(run.records, run.id);
    await run.session.stopJobs();
    await turns.last();
    const changes = keepsChanges(run.session.profile) ? (await run.session.changes()).map((change) => change.path) : null;
    const models = answeredBy(run, options);
    const isForBranch = options.isUnattended && existsSync(join(context.workspace, ".git"));
    const children = descendantsOf(run.records.store, run.id).map(({ row }) => ({ run: row.id, task: row.task ?? "", ending: row.ending ?? "parked" }));
    const summary = summarise({ children, audit: run.records.audit, run: run.id, task: options.task, end, changes, isForBranch, models });
    await (end.kind === "parked" ? run.park(end.approvalId) : run.end(end.kind, end.reason === "" ? undefined : end.reason));
    return { runId: run.id, end, isUnattended: options.isUnattended, summary, output: options.wanted?.given() ?? null };
  } catch (error) {
    await run.end("failed", error instanceof AgentError ? error.code : "fault");
    throw error;
  }
}

/** How many sub-agents a run may have, and how deep they go, where its policy does not say. */
const FAMILY = { depth: 1, count: 8 };

/** The conversation itself; its time is counted while it goes on. */
async function talkToEnd(run: SandboxedRun, { policy, workspace }: WorkspaceContext, options: ConverseOptions): Promise<RunReport> {
  const { records, gate, tools } = run;
  const { audit } = records;
  const startedMs = systemClock.monotonicMs();
  const { models, isUnattended, strategy, inbox, callSignal } = options;
  const time = startTimeLease(gate.budget, systemClock);
  try {
    return await converse(
      {
        root: run.id,
        records,
        policy,
        tools,
        limits: { depth: policy.limits.run.subAgentDepth ?? FAMILY.depth, count: policy.limits.run.subAgents ?? FAMILY.count },
        isScripted: models.providers.some((provider) => provider.isScripted),
        workspace,
        models,
        wanted: options.wanted,
        hooks: run.hooks,
        gapOf: run.gapOf,
        search: run.search,
        openBeside: run.openBeside,
        strategy,
        isUnattended,
        isPlanning: options.plan !== undefined,
        time,
      },
      {
        runId: run.id,
        task: options.task,
        depth: 0,
        gate,
        session: run.session,
        narrowing: [],
        above: [],
        tallyAbove: null,
        continuation: options.continuation,
        turns: options.turns,
        ...(options.images && { images: options.images }),
        ...(inbox && { inbox }),
        ...(callSignal && { callSignal }),
        signal: options.signal,
        emit: options.emit,
      },
    );
  } finally {
    time.end();
    recordMove(audit, gate.budget, null, { minutes: Math.ceil(systemClock.monotonicMs() - startedMs) });
  }
}

/** What each model answered, over all suspensions of the run. */
function answeredBy(run: SandboxedRun, { models }: DriveOptions): readonly ModelShare[] {
  const [first] = models.providers;
  const { store } = run.records;
  const family = [run.id, ...descendantsOf(store, run.id).map(({ row }) => row.id)];
  const answers = family
    .flatMap((id) => allSteps(store, id))
    .flatMap((step) => (step.kind !== "result" && step.usage !== undefined ? [{ model: step.model ?? first.id, usage: step.usage }] : []));
  return sharesOf(answers, models.priceOf);
}

/** Under an engaged stop switch no model is asked anything. */
function refuseUnderStop(run: string | undefined): void {
  withRecords(({ store }) => {
    if (isStopped(store, run === undefined ? {} : { run })) throw new AgentError("usage", run === undefined ? STOPPED_ADVICE : stoppedAdvice(store, run));
  });
}
