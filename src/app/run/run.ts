import { existsSync } from "node:fs";
import { join } from "node:path";
import { runAgent } from "../../agent/loop.ts";
import type { Emit } from "../../gate/gate.ts";
import type { AgentEvent } from "../../agent/events.ts";
import type { Continuation } from "../../agent/journal.ts";
import type { RunEnd, RunReport } from "../../agent/run-end.ts";
import { systemPrompt } from "../../agent/system-prompt.ts";
import type { ApprovalChannel } from "../../approvals/channel.ts";
import { redactFor } from "../../audit/entries/redact.ts";
import { systemClock } from "../../base/clock.ts";
import { budgetOf } from "../../budgets/accounts.ts";
import { AgentError } from "../../base/errors.ts";
import { priceOf, unknownPrice } from "../../providers/prices/lookup.ts";
import { costInMicroUsd, type Price } from "../../providers/prices/price.ts";
import { parseModelName } from "../../providers/contract/model-name.ts";
import { selectModel } from "../../providers/select-model.ts";
import type { ModelProvider } from "../../providers/contract/provider.ts";
import { priceFile, readPriceFile } from "../../config/prices.ts";
import { readScriptFile } from "../../config/script-file.ts";
import { stateDirectory } from "../../config/state/directory.ts";
import type { Policy } from "../../policy/policy.ts";
import { recordMove } from "../../gate/budget-record.ts";
import { isStopped, STOPPED_ADVICE, stoppedAdvice } from "../../gate/stop-switch.ts";
import { untilStopped } from "../../gate/stop-watch.ts";
import { keepsChanges } from "../../sandbox/runtime.ts";
import { withRecords } from "../records/records.ts";
import { type RunSummary, summarise } from "./summary.ts";
import { journalOf } from "./journal.ts";
import { openRun, type ResumedRun, type RunDescription, type SandboxedRun } from "./open.ts";
import { amountsOf, recordedSpending, spendingMeter } from "./spending.ts";
import type { WorkspaceContext } from "../setup/context.ts";
import { startTimeLease } from "./time-budget.ts";

export type AgentRunOptions = {
  readonly task: string;
  readonly model: string;
  readonly isUnattended: boolean;
  /** The job that it is a run of, whose limits hold too; absent for one that a person starts. */
  readonly job?: string | null;
  /** The identifier of the run, where somebody has to know it before it starts; absent: one is made. */
  readonly runId?: string;
  /** How an embedding program reaches a person, in place of the terminal; absent: the terminal, or nobody in an unattended run. */
  readonly channels?: readonly ApprovalChannel[];
  /** As in a run's description. */
  readonly tools?: RunDescription["tools"];
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

type Resumed = (ResumedRun & { readonly continuation: Continuation }) | null;

async function drive(context: WorkspaceContext, options: AgentRunOptions, resumed: Resumed): Promise<AgentRunResult> {
  refuseUnderStop(resumed?.id);
  const name = parseModelName(options.model);
  const state = stateDirectory(process.env);
  const price = priceOf(name, process.env, readPriceFile(state));
  if (price === null && limitsCost(context.policy)) throw unknownPrice(name, priceFile(state));
  const provider = await selectModel(name, { env: process.env, readScript: readScriptFile });
  try {
    const { task, model, isUnattended, runId, channels, tools, onOpen, job = null } = options;
    const run = await openRun(context, {
      task,
      model,
      job,
      isScripted: provider.isScripted,
      canAsk: !isUnattended,
      ...(runId === undefined ? {} : { runId }),
      ...(channels === undefined ? {} : { channels }),
      ...(tools === undefined ? {} : { tools }),
      ...(onOpen === undefined ? {} : { onOpen }),
      ...(resumed === null ? {} : { resumed }),
    });
    return await driveRun(run, context, { ...options, provider, price, continuation: resumed?.continuation ?? null });
  } finally {
    await provider.close();
  }
}

type DriveOptions = AgentRunOptions & { readonly provider: ModelProvider; readonly price: Price | null; readonly continuation: Continuation | null };

async function driveRun(run: SandboxedRun, context: WorkspaceContext, options: DriveOptions): Promise<AgentRunResult> {
  try {
    const { end } = await converse(run, context, options);
    await run.session.stopJobs();
    const changes = keepsChanges(run.session.profile) ? (await run.session.changes()).map((change) => change.path) : null;
    const usd = options.price === null ? null : costInMicroUsd(end.usage, options.price) / 1_000_000;
    const isForBranch = options.isUnattended && existsSync(join(context.workspace, ".git"));
    const summary = summarise({ audit: run.records.audit, run: run.id, task: options.task, end, changes, isForBranch, usd });
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
  const time = startTimeLease(budget, systemClock);
  const watch = untilStopped(run.records.store, options.signal, { run: run.id });
  try {
    return await runAgent({
      runId: run.id,
      task: options.task,
      workspace,
      provider: options.provider,
      systemPrompt: systemPrompt({ workspace, policy: policy.name, isUnattended: options.isUnattended }),
      tools: run.tools.toolDefinitions((tool) => isOffered(policy.tools, tool)),
      runToolCall: async (...call) => {
        const result = await run.gate.runToolCall(...call);
        // A call that the stop switch ended is no reason to ask the model what next.
        watch.look();
        return result;
      },
      limits: policy.limits.run,
      journal: journalOf({ audit: run.records.audit, runId: run.id }, run.gate.seen),
      ...(options.continuation === null ? {} : { continuation: options.continuation }),
      spending: recordedSpending(spendingMeter(budget, options.price), (usage) => recordMove(audit, budget, null, amountsOf(usage, options.price))),
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

/** Whether there is a limit that an unknown price would count as over. */
function limitsCost({ limits }: Policy): boolean {
  return limits.run.maxUsd !== null || limits.windows.some(({ meter }) => meter === "cost");
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
