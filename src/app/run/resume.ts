import { bareImages, imagesText } from "../../agent/inbox.ts";
import { openCalls, warningText, type Continuation } from "../../agent/journal.ts";
import { claimApproval, consumeApproval, openApproval, reopenClaimed, showApproval } from "../../approvals/approval.ts";
import { RESUME_TOOL, type ApprovalCard } from "../../approvals/card.ts";
import { awaitAnswer, storeQuestion, tellOf } from "../../approvals/question.ts";
import { terminalChannel } from "../../approvals/terminal/channel.ts";
import { ownAccount } from "../../approvals/terminal/account.ts";
import type { WebhookChannel } from "../../approvals/webhook/channel.ts";
import { appendAudit } from "../../audit/log/log.ts";
import { tailAudit } from "../../audit/log/read.ts";
import { systemClock } from "../../base/clock.ts";
import { canonicalJson, digestOf } from "../../base/digest.ts";
import { AgentError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { makeVisibleLine } from "../../base/text.ts";
import type { LoadedPolicy } from "../../config/policy/load.ts";
import { readSettings } from "../../config/settings-file.ts";
import { PARKED_APPROVAL_TIMEOUT_MS } from "../../gate/gate-parts.ts";
import { isStopped, stoppedAdvice } from "../../gate/stop-switch.ts";
import { createRedaction, secretsIn } from "../../sandbox/redaction.ts";
import { isOwnerDead, ownerOfThisProcess } from "../../store/lock/process-owner.ts";
import type { RunRow } from "../../store/rows/runs.ts";
import { continueTask, type AgentRunOptions, type AgentRunResult } from "./run.ts";
import { type FurtherTask, furtherTask, isOver } from "./further-task.ts";
import { noteOf, type Stop } from "./resume-note.ts";
import { answerOfSkipped, answerWhatHadBegun } from "./interrupted-call.ts";
import { policyDifference } from "../policy/difference.ts";
import { settleOpenRewind } from "../records/open-rewind.ts";
import { openRecords, type Records } from "../records/records.ts";
import { suspensionOf } from "../records/suspension.ts";
import { continuationAt, journalOf, readSteps } from "./journal.ts";
import { withdrawQuestions } from "../approvals/withdraw.ts";
import type { ResumedRun } from "./open.ts";
import { keepPolicy } from "../policy/keep.ts";
import { descendantsOf } from "../children/family.ts";
import { readContext, type WorkspaceContext } from "../setup/context.ts";
import { checkChoice } from "../setup/runtimes.ts";
import { readWebhooks, webhookChannels } from "../approvals/webhooks.ts";

export type ResumeOptions = Omit<AgentRunOptions, "task" | "model" | "isUnattended" | "job" | "runId" | "plan"> & {
  /** More that a person asks of a run that is over; absent: it goes on with what it had to do. */
  readonly task?: string;
  /** What a person says to a run that was stopped on its way: the model hears it first, and what it had not begun is not done. */
  readonly said?: string;
  /** Absent: as the run was started. */
  readonly policy?: string | LoadedPolicy;
  readonly model?: AgentRunOptions["model"];
};

export type ResumeEnd =
  | { readonly kind: "ran"; readonly result: AgentRunResult }
  /** Nothing was done: the question is still open. */
  | { readonly kind: "waiting"; readonly runId: string; readonly approvalId: string }
  | { readonly kind: "refused"; readonly runId: string; readonly by: string };

/**
 * Goes on with a run that was parked, killed or interrupted, on this machine, from its last recorded step. The policy is read anew; when it
 * says something else than the run had, a person is asked first. Throws `usage` when the run cannot go on.
 */
export async function resumeRun(runId: string, options: ResumeOptions): Promise<ResumeEnd> {
  const records = openRecords();
  try {
    await settleOpenRewind(records, runId);
    const { row, was } = resumable(records, runId, options.task !== undefined);
    if (isStopped(records.store, { run: runId })) throw new AgentError("usage", stoppedAdvice(records.store, runId));
    const { task: more, said, images, policy = row.policyFile ?? row.policyName, model = row.model ?? "", ...given } = options;
    const context = readContext(policy, row.workspace);
    checkChoice(given.runtime, context.policy);
    const obstacle = (await settlePolicy(records, row, context, given)) ?? waitsFor(records, row);
    if (obstacle !== null) return obstacle;
    const words = more ?? said;
    const further = words === undefined ? null : await furtherTask(words, context, { records, runId, ...given });
    const continuation = takeOver(records, { row, was, context, further, images });
    const task = row.task ?? "";
    const plan = row.plan === null ? {} : { plan: row.plan === "open" ? ("open" as const) : ("approved" as const) };
    const result = await continueTask(context, { ...given, ...plan, task, model, isUnattended: row.isUnattended, job: row.job }, continuation);
    return { kind: "ran", result };
  } finally {
    records.store.close();
  }
}

function resumable({ store, audit }: Records, runId: string, hasTask: boolean): { readonly row: RunRow; readonly was: Stop } {
  const row = store.runs.byId(runId);
  if (row === null) throw new AgentError("usage", `There is no run ${makeVisibleLine(runId)}.`, { remedy: "See: warder runs" });
  if (row.parent !== null)
    throw new AgentError("usage", `${runId} is a sub-agent of ${row.parent}, and goes on with it.`, { remedy: `warder run --resume ${row.parent}` });
  const suspension = suspensionOf(row);
  const isAtATurn = suspension === "rewound" || suspension === "forked";
  if (hasTask && suspension !== null && !isAtATurn)
    throw new AgentError("usage", `${runId} has not done its own task yet, and can be asked for more after that.`, {
      remedy: `Go on with it: warder run --resume ${runId}`,
    });
  const was = hasTask && isOver(row) ? "over" : suspension;
  if (was !== null) {
    // Without its steps it would begin anew, and do again what it did.
    const { steps, takenBack } = readSteps(store, runId);
    const hasForgotten = steps.length + takenBack.length === 0 && tailAudit(audit, { run: runId, kind: "ruling", limit: 1 }).length > 0;
    if (hasForgotten)
      throw new AgentError("usage", `${runId} did nothing for so long that its conversation is no longer kept. Its changes: warder changes list ${runId}`);
    // What had begun when it stopped would be done again, and what it sent would not count.
    if (isArchived({ store, audit }, runId))
      throw new AgentError(
        "usage",
        `${runId} cannot go on: its records, which say what it had begun, went into an archive. Its changes: warder changes list ${runId}`,
      );
    return { row, was };
  }
  if (row.task === null) throw new AgentError("usage", `${runId} was one command, which has no conversation to go on with.`);
  if (row.endedAtMs !== null)
    throw new AgentError("usage", `${runId} is over (${row.ending ?? "ended"}). Its changes: warder changes list ${runId}`, {
      remedy: `To ask it for more: warder run --continue ${runId} TASK`,
    });
  throw new AgentError("usage", `${runId} is going on now, in another process.`);
}

/** Whether the log here no longer has all of a run: its start is its first record that is certain, and stands with its row. */
function isArchived({ store, audit }: Pick<Records, "store" | "audit">, run: string): boolean {
  return store.audit.base() !== null && tailAudit(audit, { run, kind: "run-start", limit: 1 }).length === 0;
}

function waitsFor({ approvals }: Records, row: RunRow): ResumeEnd | null {
  if (row.parkedOn === null || showApproval(approvals, row.parkedOn)?.state !== "pending") return null;
  return { kind: "waiting", runId: row.id, approvalId: row.parkedOn };
}

/** Under another policy than it had a run goes on only with a person's word, which is bound to both policies and used once. */
async function settlePolicy(
  records: Records,
  row: RunRow,
  { policy }: WorkspaceContext,
  { channels, lendTerminal }: Pick<ResumeOptions, "channels" | "lendTerminal">,
): Promise<ResumeEnd | null> {
  const { store, approvals } = records;
  const rulingDigest = digestOf({ resume: row.id, from: row.policyDigest, to: policy.digest });
  // The policy may have been something else in between, and may be what it was.
  withdrawQuestions(records, row.id, ({ card }) => card.tool === RESUME_TOOL && card.rulingDigest !== rulingDigest);
  if (policy.digest === row.policyDigest) return null;
  const callId = `policy-${policy.digest.slice(0, 12)}`;
  const open = openApproval(approvals, row.id, callId, rulingDigest);
  const card =
    open !== null && open.state !== "expired" && open.card.rulingDigest === rulingDigest ? open.card : policyCard(records, row, { policy, rulingDigest });
  const webhooks = webhooksOf(records, row, policy);
  if (card !== open?.card) {
    recordPolicyQuestion(records, row, { call: callId, ruling: rulingDigest, approval: card.approvalId, expiresAtMs: card.expiresAtMs });
    storeQuestion(approvals, { card, callId, callDigest: rulingDigest, channels: webhooks });
  }
  const { signal } = new AbortController();
  const own = channels ?? [terminalChannel(approvals, lendTerminal)];
  if (!row.isUnattended) await awaitAnswer(approvals, { card, channels: [...own, ...webhooks], signal });
  else if (card !== open?.card) tellOf(card, webhooks, signal);
  await Promise.all(webhooks.map((webhook) => webhook.settled()));
  const approval = showApproval(approvals, card.approvalId);
  if (approval?.state === "granted" || approval?.state === "refused")
    appendAudit(records.audit, {
      run: row.id,
      payload: {
        kind: "approval-answered",
        call: callId,
        ruling: rulingDigest,
        approval: approval.id,
        answer: approval.state,
        by: approval.answeredBy,
        scope: "once",
        reason: "the run goes on under another policy",
      },
    });
  if (approval?.state === "refused") return { kind: "refused", runId: row.id, by: approval.answeredBy ?? "unknown" };
  const isClaimed = claimApproval(approvals, card.approvalId, { run: row.id, rulingDigest, policyDigest: policy.digest });
  if (isClaimed && consumeApproval(approvals, card.approvalId)) return null;
  store.exclusively(() => store.runs.park(row.id, { owner: row.owner, approval: card.approvalId, nowMs: systemClock.nowMs() }));
  return { kind: "waiting", runId: row.id, approvalId: card.approvalId };
}

type PolicyQuestion = { readonly call: string; readonly ruling: string; readonly approval: string; readonly expiresAtMs: number };

function recordPolicyQuestion({ audit }: Records, row: RunRow, { expiresAtMs, ...question }: PolicyQuestion): void {
  const expiresAt = new Date(expiresAtMs).toISOString();
  appendAudit(audit, { run: row.id, payload: { kind: "approval-requested", ...question, rule: "policy-changed", expiresAt } });
}

function webhooksOf({ store, audit, approvals }: Records, row: RunRow, policy: WorkspaceContext["policy"]): readonly WebhookChannel[] {
  const users = readWebhooks(readSettings(store.paths.directory), policy, process.env);
  const redact = createRedaction(new Map([...secretsIn(process.env, 8), ...users.secrets])).text;
  return webhookChannels(users, { isParked: row.isUnattended, approvals, audit, redact });
}

function policyCard({ store }: Records, row: RunRow, change: { readonly policy: WorkspaceContext["policy"]; readonly rulingDigest: string }): ApprovalCard {
  const { policy, rulingDigest } = change;
  const nowMs = systemClock.nowMs();
  const lines = policyDifference(store.policies.byDigest(row.policyDigest), policy);
  return {
    approvalId: newId("approval"),
    runId: row.id,
    workspace: row.workspace,
    tool: RESUME_TOOL,
    input: canonicalJson({ run: row.id, task: row.task, from: row.policyDigest, to: policy.digest, file: policy.files[0] ?? policy.name }),
    commands: [],
    cwd: row.workspace,
    env: {},
    reads: [],
    writes: [],
    hosts: [],
    inputs: policy.files,
    imageDigest: "none",
    policyDigest: policy.digest,
    rulingDigest,
    risk: "high",
    asked: [{ id: "policy-changed", reason: "The policy says something else than when this run was suspended.", at: "built in" }],
    effects: [],
    change: null,
    sort: "",
    containment: [],
    pointless: null,
    wantsWord: true,
    expiresAtMs: nowMs + PARKED_APPROVAL_TIMEOUT_MS,
    differs: { approvalId: row.id, by: "the start of the run", atMs: row.startedAtMs, isVoided: false, lines },
    together: [],
    needed: 1,
    needsCode: false,
    grant: null,
    grantExamples: null,
    grantKey: "",
  };
}

type Taken = ResumedRun & { readonly continuation: Continuation };

type Takeover = {
  readonly row: RunRow;
  readonly was: Stop;
  readonly context: WorkspaceContext;
  readonly further: FurtherTask | null;
  readonly images: ResumeOptions["images"];
};

/** Makes the run this process's own, once and for all others too, and reads where it stood. */
function takeOver(records: Records, taken: Takeover): Taken {
  const { store, audit, approvals } = records;
  const { row, was, context, further, images = [] } = taken;
  const { policy } = context;
  const isTaken = store.exclusively(() =>
    store.runs.takeOver(row.id, { from: row.owner, isDead: isOwnerDead(row.owner), to: ownerOfThisProcess(), policyDigest: policy.digest }),
  );
  if (!isTaken) throw new AgentError("usage", `${row.id} was taken up by another process just now.`);
  reopenClaimed(approvals, row.id);
  keepPolicy(store, policy);
  appendAudit(audit, { run: row.id, payload: { kind: "policy-loaded", name: policy.name, policy: policy.digest, files: policy.files } });
  appendAudit(audit, {
    run: row.id,
    payload: {
      kind: "run-resumed",
      was,
      policy: policy.digest,
      before: row.policyDigest,
      by: ownAccount(),
      ...(further === null ? {} : { task: further.recorded }),
    },
  });
  answerWhatHadBegun(records, { id: row.id, task: row.task ?? "" });
  const { seen, labels, lastAtMs, ...kept } = readSteps(store, row.id);
  const note = noteOf(taken, lastAtMs ?? row.startedAtMs);
  const task = row.task ?? "";
  const ofFamily = descendantsOf(store, row.id).flatMap((child) => readSteps(store, child.row.id).labels);
  const known = { id: row.id, seen, labels, ofFamily };
  if (further === null) return { ...known, continuation: continuationAt(task, kept, note) };
  // Kept at once: a process that dies here leaves the further task to the next. What was refused before was refused of another task.
  const left = continuationAt(task, kept);
  const { elapsedMs } = left;
  const journal = journalOf({ audit, runId: row.id }, seen);
  for (const { part } of openCalls(left)) journal.record({ kind: "result", part: answerOfSkipped(part), elapsedMs });
  journal.record({ kind: "note", text: `${note}\n${was === "over" ? "The person asks for more." : "The person says something first."}`, elapsedMs });
  journal.record({ kind: "note", text: further.kept, isPersons: true, elapsedMs });
  for (const warning of further.warnings) journal.record({ kind: "note", text: warningText(warning), elapsedMs });
  if (images.length > 0) journal.record({ kind: "note", text: imagesText(images), images: bareImages(images), elapsedMs });
  return { ...known, continuation: { ...continuationAt(task, readSteps(store, row.id)), marks: [] } };
}
