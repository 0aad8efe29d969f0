import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { RunReport, RunEnd } from "../../agent/run-end.ts";
import type { Continuation, RunStep } from "../../agent/journal.ts";
import { type CallMark, workOf } from "../../agent/calls/refusals.ts";
import { reopenClaimed } from "../../approvals/approval.ts";
import { redactSecrets } from "../../audit/entries/redact.ts";
import { appendAudit, appendAuditWith } from "../../audit/log/log.ts";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { type Before, type Gate, NOTHING_BEFORE } from "../../gate/create-gate.ts";
import { readHanded } from "../../gate/kept/handed.ts";
import type { Delegate, DelegatedWork } from "../../gate/gate.ts";
import { readOnly, withTools } from "../../policy/deciding/narrowing.ts";
import type { Label } from "../../policy/label.ts";
import type { Policy } from "../../policy/policy.ts";
import type { Session } from "../../sandbox/runtime.ts";
import { readRecord, workspacePaths } from "../../sandbox/workspace/record.ts";
import { isOwnerDead, ownerOfThisProcess } from "../../store/lock/process-owner.ts";
import type { RunRow } from "../../store/rows/runs.ts";
import type { Delegation, DelegationEnd } from "../../tools/contract/tool.ts";
import { PLAN_DONE } from "../../tools/run/plan-done.ts";
import { STRUCTURED_OUTPUT } from "../../tools/run/structured-output.ts";
import type { ToolRegistry } from "../../tools/registry.ts";
import { withdrawQuestions } from "../approvals/withdraw.ts";
import type { Records } from "../records/records.ts";
import { type Apart, type ApartPlace, openApart, removeApart } from "./apart.ts";
import { descendantsOf, rootOf } from "./family.ts";
import { taskWith } from "./task.ts";

/** How many sub-agents there may be below one run, and how deep. */
export type FamilyLimits = { readonly depth: number; readonly count: number };

/** What all runs of a family share. */
export type Family = ApartPlace & {
  readonly root: string;
  readonly policy: Policy;
  readonly tools: ToolRegistry;
  readonly limits: FamilyLimits;
  readonly isScripted: boolean;
};

/** A run that may have sub-agents. `depth`: 0 for one of its own. */
export type Parent = {
  readonly runId: string;
  readonly depth: number;
  readonly gate: Gate;
  /** That it works in. */
  readonly session: Session;
};

/** A sub-agent that is about to go on. */
export type Child = Parent & {
  readonly task: string;
  /** Of its crew; absent: it is of none. */
  readonly name?: string;
  readonly callId: string;
  /** Policies of its own, beside those of its parents. */
  readonly narrowing: readonly Policy[];
  readonly continuation: Continuation | null;
  readonly signal: AbortSignal;
};

/** What is done elsewhere: the conversation of a sub-agent; what it had said and done before it was interrupted. */
export type ChildWork = {
  readonly converse: (child: Child) => Promise<RunReport>;
  readonly stepsOf: (runId: string) => { readonly steps: readonly RunStep[]; readonly seen: ReadonlyMap<string, string>; readonly labels: readonly Label[] };
  readonly resume: (row: RunRow) => Continuation;
};

type Answer = Awaited<ReturnType<Delegate>>;

/** The sub-agents of one run: started within the limits of its family, or found again after a restart. Throws what ends the run: a log or store that cannot be written. */
export function delegateOf(family: Family, parent: Parent, work: ChildWork): Delegate {
  const { store } = family.records;
  return async (delegation, { callId, index, heard, workspace, signal }) => {
    // A call of a conversation that was taken back may have had the same name.
    const rewind = store.runs.byId(parent.runId)?.rewind ?? null;
    const key = [callId, delegation.name ?? String(index), ...(rewind === null ? [] : [rewind])].join("/");
    const known = store.runs.children(parent.runId).find(({ parentCall }) => parentCall === key) ?? null;
    const told = heard.flatMap((said) => said.labels);
    if (known !== null && known.endedAtMs !== null) return answerOf(family, known.id, { ending: known.ending ?? "ended", reason: "", told }, work);
    const narrowing = narrowedBy(family, delegation);
    if ("problem" in narrowing) return { end: { kind: "not-started", reason: narrowing.problem }, work: null };
    const obstacle = known === null ? limitOf(family, parent) : null;
    if (obstacle !== null) return { end: { kind: "not-started", reason: obstacle }, work: null };
    const task = known?.task ?? taskWith(delegation.task, heard);
    const runId = known?.id ?? startRow(family, parent, key, { ...delegation, task });
    const continuation = known === null ? null : takeOver(family, known, work);
    const { seen, labels }: Before = known === null ? NOTHING_BEFORE : work.stepsOf(runId);
    const before = { seen, labels: [...told, ...labels] };
    const apart = workspace === "own-overlay" ? await openApart(family, parent, runId) : null;
    if (apart !== null && "problem" in apart) {
      conclude(family, runId, "failed", apart.problem);
      return { end: { kind: "not-started", reason: `Not started: ${apart.problem}` }, work: null };
    }
    const child: Child = {
      runId,
      depth: parent.depth + 1,
      session: apart?.session ?? parent.session,
      gate: parent.gate.forChild({ runId, task: delegation.task, narrowing: narrowing.policies, ...(apart !== null && { apart }) }, before),
      task,
      ...(delegation.name === undefined ? {} : { name: delegation.name }),
      callId,
      narrowing: narrowing.policies,
      continuation,
      signal,
    };
    return await carryOut(family, child, { ...work, wasInterrupted: known !== null, told, apart });
  };
}

type Going = ChildWork & { readonly wasInterrupted: boolean; readonly told: readonly Label[]; readonly apart: Apart | null };

async function carryOut(family: Family, child: Child, work: Going): Promise<Answer> {
  try {
    const { end } = await work.converse(child);
    if (end.kind === "parked") {
      await work.apart?.leave();
      park(family, child.runId, end.approvalId);
      return { end: { kind: "parked", approvalId: end.approvalId }, work: null };
    }
    const problem = (await work.apart?.handOver([...work.told, ...work.stepsOf(child.runId).labels])) ?? null;
    conclude(family, child.runId, end.kind, end.reason);
    const reason = [reasonOf(end, work.wasInterrupted), ...(problem === null ? [] : [problem])].filter((text) => text !== "").join(" ");
    return answerOf(family, child.runId, { ending: end.kind, reason, told: work.told }, work);
  } catch (error) {
    await work.apart?.drop();
    conclude(family, child.runId, "failed", error instanceof AgentError ? error.code : "fault");
    throw error;
  }
}

function reasonOf({ reason }: RunEnd, wasInterrupted: boolean): string {
  return [...(reason === "" ? [] : [reason]), ...(wasInterrupted ? ["It was interrupted in between, and went on from where it stood."] : [])].join(" ");
}

/** A run's result is its own to give, and its plan its own to propose. */
const OF_THE_RUN: ReadonlySet<string> = new Set([STRUCTURED_OUTPUT, PLAN_DONE]);

/** What binds a sub-agent beside its parents: nothing that its delegation says can widen anything. */
function narrowedBy(
  { policy, tools }: Family,
  { tools: named, isReadOnly = false }: Delegation,
): { readonly policies: readonly Policy[] } | { readonly problem: string } {
  const unknown = named?.find((name) => tools.find(name) === undefined);
  if (unknown !== undefined) return { problem: `Not started: there is no tool ${makeVisibleLine(unknown)} that a sub-agent could have.` };
  const hasOwn = tools.names.some((name) => OF_THE_RUN.has(name));
  const listed = (named?.flatMap((name) => tools.find(name)?.name ?? []) ?? tools.names).filter((name) => !OF_THE_RUN.has(name));
  return { policies: [...(isReadOnly ? [readOnly(policy)] : []), ...(named === undefined && !hasOwn ? [] : [withTools(policy, listed)])] };
}

function limitOf({ root, records, limits }: Family, { depth }: Parent): string | null {
  if (depth >= limits.depth || limits.count === 0)
    return depth === 0
      ? "Not started: the policy gives this run no sub-agents. Do it yourself."
      : `Not started: sub-agents go ${String(limits.depth)} deep here, and you are one. Do it yourself.`;
  if (descendantsOf(records.store, root).length < limits.count) return null;
  return `Not started: this run has had its ${String(limits.count)} sub-agents. Do it yourself.`;
}

function startRow({ records, policy, root, isScripted }: Family, parent: Parent, key: string, { task, tools, isReadOnly = false }: Delegation): string {
  const { store, audit } = records;
  const row = store.runs.byId(root);
  if (row === null) throw new AgentError("broken-invariant", `There is no run ${root} that a sub-agent could be of.`);
  const id = newId("run");
  const kept = audit.redact?.(task) ?? task;
  appendAuditWith(audit, () => {
    store.runs.start({ ...row, id, task: kept, owner: ownerOfThisProcess(), startedAtMs: systemClock.nowMs(), parent: parent.runId, parentCall: key });
    const said = redactSecrets(kept.toWellFormed());
    const { workspace, model } = row;
    const own = { parent: parent.runId, parentCall: key, tools: tools ?? null, isReadOnly };
    return { run: id, payload: { kind: "run-start", workspace, policy: policy.digest, autonomy: policy.autonomy, task: said, model, isScripted, ...own } };
  });
  return id;
}

/** Makes a sub-agent whose process ended, or which waited, this process's own. */
function takeOver({ records, policy }: Family, row: RunRow, { resume }: ChildWork): Continuation {
  const { store, audit, approvals } = records;
  const was = row.parkedAtMs === null ? "killed" : "parked";
  const change = { from: row.owner, isDead: isOwnerDead(row.owner), to: ownerOfThisProcess(), policyDigest: policy.digest };
  if (!store.exclusively(() => store.runs.takeOver(row.id, change)))
    throw new AgentError("broken-invariant", `The sub-agent ${row.id} goes on in another process.`);
  reopenClaimed(approvals, row.id);
  appendAudit(audit, { run: row.id, payload: { kind: "run-resumed", was, policy: policy.digest, before: row.policyDigest, by: "its parent" } });
  return resume(row);
}

function park({ records: { store, audit } }: Family, id: string, approval: string): void {
  appendAudit(audit, { run: id, payload: { kind: "run-parked", approval } });
  store.exclusively(() => store.runs.park(id, { owner: ownerOfThisProcess(), approval, nowMs: systemClock.nowMs() }));
}

function conclude({ records }: Pick<Family, "records">, id: string, ending: string, detail: string): void {
  const { store, audit } = records;
  withdrawQuestions(records, id);
  appendAuditWith(audit, () => {
    store.runs.end(id, ending, systemClock.nowMs());
    store.grants.endRun(id, systemClock.nowMs());
    return { run: id, payload: { kind: "run-end", ending, ...(detail === "" ? {} : { detail: redactSecrets(detail.toWellFormed()) }) } };
  });
}

/** Ends the sub-agents of a run that is over: none of them waits for anything any more. */
export function endDescendants(records: Records, runId: string): void {
  for (const { row } of descendantsOf(records.store, runId).toReversed()) {
    if (row.endedAtMs === null) conclude({ records }, row.id, "cancelled", "The run that it was a sub-agent of is over.");
    removeApart(records, row.id);
  }
}

/**
 * Removes the overlays of sub-agents that nothing goes on in: what their run changed was discarded, and nobody works with it. What is in use, or cannot be removed
 * now, stays for the next time.
 */
export function reapOverlays(records: Records): void {
  const { store } = records;
  for (const id of existsSync(store.paths.runs) ? readdirSync(store.paths.runs) : []) {
    const row = store.runs.byId(id);
    if (row === null || row.parent === null || existsSync(workspacePaths(join(store.paths.runs, id)).owner)) continue;
    const root = rootOf(store, row);
    const record = readRecord(join(store.paths.runs, root.id));
    if (!isOwnerDead(root.owner) || (record !== null && record.state !== "discarded")) continue;
    if (row.endedAtMs === null) conclude({ records }, id, "cancelled", "What the run changed that it was a sub-agent of was discarded.");
    try {
      removeApart(records, id);
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
    }
  }
}

type Ended = { readonly ending: string; readonly reason: string; /** The labels of what it was told with its task. */ readonly told: readonly Label[] };

/** What its parent reads: the last that it said, and never nothing. Its words may hold whatever it was told or read. */
function answerOf({ records }: Pick<Family, "records">, runId: string, { ending, reason, told }: Ended, { stepsOf }: Pick<ChildWork, "stepsOf">): Answer {
  const { steps, labels } = stepsOf(runId);
  const said = steps.findLast((step) => step.kind === "message" && step.text !== "");
  const text = said?.kind === "message" ? said.text : silentText(steps);
  const handed = readHanded(records.store.paths.artifacts, runId);
  const end: DelegationEnd = {
    kind: "ended",
    runId,
    isDone: ending === "done",
    ending: reason === "" ? ending : `${ending}: ${reason}`,
    text,
    ...(handed !== null && { changes: handed.changes }),
  };
  return { end, work: workDone(steps), labels: [...told, ...labels] };
}

function workDone(steps: readonly RunStep[]): DelegatedWork {
  return workOf(steps.flatMap((step): readonly CallMark[] => (step.kind === "result" && step.mark !== undefined ? [step.mark] : [])));
}

/** In place of the words of one that ended without any. */
function silentText(steps: readonly RunStep[]): string {
  const results = steps.flatMap((step) => (step.kind === "result" ? [step.part] : []));
  const failed = results.filter(({ isError }) => isError).length;
  const last = results.slice(-5).map(({ name, isError }) => `${name}${isError ? " (failed)" : ""}`);
  return `[it said nothing; calls: ${String(results.length)}, of them failed: ${String(failed)}${last.length === 0 ? "" : `; the last: ${last.join(", ")}`}]`;
}
