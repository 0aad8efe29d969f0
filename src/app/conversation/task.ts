import type { createInbox } from "../../agent/inbox.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { withRecords } from "../records/records.ts";
import { suspensionOf } from "../records/suspension.ts";
import { type ResumeEnd, resumeRun } from "../run/resume.ts";
import { type AgentRunOptions, type AgentRunResult, runTask } from "../run/run.ts";
import { readContext, type WorkspaceContext } from "../setup/context.ts";

export type TaskSetting = Pick<AgentRunOptions, "signal" | "callSignal" | "images" | "channels" | "lendTerminal" | "emit" | "onOpen"> & {
  /** Of a new run: read as it begins. One that goes on has its own. */
  readonly context: () => WorkspaceContext;
  readonly model: () => string;
  /** Of a new run, where somebody has to know it before it begins; absent: one is made. */
  readonly newRunId?: string;
  /** What a person named for a run that goes on; absent: its own. */
  readonly named: { readonly policy?: string; readonly model?: string };
  readonly inbox: ReturnType<typeof createInbox>;
};

export type TaskEnd = ResumeEnd | { readonly kind: "ran"; readonly result: AgentRunResult };

/** Whether a run has begun: its task is recorded. */
export function hasBegun(runId: string): boolean {
  return withRecords(({ store }) => store.runs.byId(runId) !== null);
}

/** Whether a run was stopped before it had done what it was asked for. */
export function isStopped(runId: string): boolean {
  return withRecords(({ store }) => {
    const row = store.runs.byId(runId);
    return row !== null && suspensionOf(row) !== null;
  });
}

/** The policy and the workspace of a run that a person comes back to. Throws `usage` where there is none to go on with. */
export function contextOf(runId: string, policy: string | undefined): WorkspaceContext {
  const row = withRecords(({ store }) => store.runs.byId(runId));
  if (row === null) throw new AgentError("usage", `There is no run ${makeVisibleLine(runId)}.`, { remedy: "See: warder runs" });
  if (row.task === null) throw new AgentError("usage", `${runId} was one command, which has no conversation to go on with.`);
  return readContext(policy ?? row.policyFile ?? row.policyName, row.workspace);
}

/** Begins a run with its first task, asks one that is over for more, or goes on with one that was stopped, which hears what was `said` first (null: nothing). */
export async function performTask(said: string | null, runId: string | null, setting: TaskSetting): Promise<TaskEnd> {
  const { context, model, named, newRunId, ...given } = setting;
  if (runId !== null) return await resumeRun(runId, { ...given, ...named, ...(said === null ? {} : isStopped(runId) ? { said } : { task: said }) });
  const asNew = { task: said ?? "", model: model(), isUnattended: false, ...(newRunId === undefined ? {} : { runId: newRunId }) };
  return { kind: "ran", result: await runTask(context(), { ...given, ...asNew }) };
}
