import { consumeApproval } from "../../approvals/approval.ts";
import type { AuditEntry } from "../../audit/log/log.ts";
import { redactFor } from "../../audit/entries/redact.ts";
import type { AuditPayload } from "../../audit/entries/entry.ts";
import { storedValue } from "../../audit/entries/stored-value.ts";
import { type BudgetWindow, ruleOf } from "../../budgets/budget.ts";
import { digestOf } from "../../base/digest.ts";
import { AgentError } from "../../base/errors.ts";
import { Permit } from "../../policy/permit.ts";
import type { Outcome } from "../../sandbox/outcome.ts";
import { isJobAction, type SandboxAction } from "../../sandbox/runtime.ts";
import { ruleAmounts, spentText, take } from "../budget-record.ts";
import { boundState } from "../facts/workspace-digest.ts";
import { afterOwnAction, difference } from "../facts/changed-facts.ts";
import { measure } from "../facts/measure.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";
import type { Progress } from "./progress.ts";
import { noteWritten } from "./result-labels.ts";
import { isStopped } from "../stop-switch.ts";
import { untilStopped } from "../stop-watch.ts";

/**
 * Carries out one action of a ruled call: measures again what the decision rested on, consumes approval and
 * budget with the first action, records the permit, and lets the session spend it. The only place where a
 * permit is made. A refusal is an outcome; a fault is kept in `progress.fault` and refuses as well.
 */
export async function performAction(call: RuledCall, progress: Progress, action: SandboxAction): Promise<Outcome> {
  const { session } = call.gate.parts;
  const perform = (): Promise<Outcome> => performUnlessOver(call, progress, action);
  // No background job runs from measuring to the end: it could change what was measured. Reading or stopping a job needs jobs to run, and touches nothing else.
  // Actions of one call come one after the other: the first spends what the call takes.
  const lock = isLook(action) && progress.pending.size === 0 ? call.gate.lock.beside : call.gate.lock.alone;
  const performed = lock(() => (needsNoStill(action) ? perform() : session.still(perform)));
  progress.pending.add(performed);
  try {
    return await performed;
  } finally {
    progress.pending.delete(performed);
  }
}

/** Reading or stopping a job needs jobs to run, and a request or a browser meets none of them. */
function needsNoStill(action: SandboxAction): boolean {
  return action.kind === "request" || action.kind === "browse" || (isJobAction(action) && action.kind !== "start-job");
}

/** What changes nothing that another call could rest on. */
function isLook({ kind }: SandboxAction): boolean {
  return kind === "read-file" || kind === "list" || kind === "search" || kind === "request" || kind === "browse";
}

async function performUnlessOver(call: RuledCall, progress: Progress, action: SandboxAction): Promise<Outcome> {
  if (progress.isOver) return refused("the call has ended");
  if (progress.voided !== null) return refused(progress.voided);
  try {
    const outcome = await performAlone(call, progress, action);
    note(progress, outcome);
    return outcome;
  } catch (error) {
    progress.fault ??= error;
    progress.voided = "Warder could not carry it out safely";
    return refused(progress.voided);
  }
}

/** Permits what a tool of somebody else's does by its own code, before that begins. False: it must not. */
export async function permitInvocation(call: RuledCall, progress: Progress): Promise<boolean> {
  return await permitOwnWork(call, progress, "invoke", { tool: call.ruling.tool });
}

/** Permits what Warder does outside the sandbox for a call, of which something may come back. False: it must not. */
export async function permitOwnWork(call: RuledCall, progress: Progress, does: string, target: Readonly<Record<string, unknown>>): Promise<boolean> {
  const isPermitted = await permitWords(call, progress, does, target);
  progress.hasActed ||= isPermitted;
  return isPermitted;
}

/** The same for what goes out alone: the call brings the model nothing that it did not say itself. */
export async function permitWords(call: RuledCall, progress: Progress, does: string, target: Readonly<Record<string, unknown>>): Promise<boolean> {
  const { tool } = call.ruling;
  const digest = digestOf({ kind: does, tool, input: call.binding.input });
  const permit = async (): Promise<boolean> => {
    try {
      const ended = await takePermit(call, progress, { digest, does, target });
      if (ended !== null) note(progress, ended);
      return ended === null;
    } catch (error) {
      progress.fault ??= error;
      return false;
    }
  };
  return await call.gate.lock.alone(() => call.gate.parts.session.still(permit));
}

/** Measures again and records the permit. Gives an outcome where there is none. */
async function takePermit(call: RuledCall, progress: Progress, what: PermittedAction): Promise<Outcome | null> {
  const obstacle = call.signal.aborted ? null : await whyVoid(call, progress, permitRecord(call, what));
  if (call.signal.aborted) return { kind: "cancelled", partial: null, durationMs: 0 };
  if (obstacle === null) return null;
  progress.voided = obstacle;
  return refused(obstacle);
}

async function performAlone(call: RuledCall, progress: Progress, action: SandboxAction): Promise<Outcome> {
  const { parts } = call.gate;
  const actionDigest = digestOf(action);
  const ended = await takePermit(call, progress, { digest: actionDigest, does: action.kind, target: targetOf(action) });
  if (ended !== null) return ended;
  const permit = new Permit(actionDigest, call.ruling.digest);
  const watch = untilStopped(parts.store, call.signal, { run: call.gate.runs, tool: call.ruling.tool });
  const onOutput = (stream: "stdout" | "stderr", text: string): unknown => call.emit({ kind: "tool-output", callId: call.ruling.callId, stream, text });
  try {
    // Recording took its time: who stopped meanwhile must not see it begin.
    watch.look();
    progress.hasActed = true;
    noteWritten(call, call.gate.labels.all());
    const outcome = await parts.session.perform(permit, action, { signal: watch.signal, onOutput });
    // What the call itself has changed is what its next action starts from.
    if (action.kind === "write-file" || (action.kind === "exec" && call.wanted.some(({ kind }) => kind === "write")))
      progress.measured = afterOwnAction(progress.measured, await measure(call.gate.bench, call.judgement.call.requests));
    return outcome;
  } finally {
    watch.end();
  }
}

/**
 * Measures again, and puts the permit on disk. Gives why nothing may be done after all, null if it may. What a person said yes to is measured before their
 * yes is spent; otherwise the disk writes while the sandbox looks.
 */
async function whyVoid(call: RuledCall, progress: Progress, permit: AuditPayload): Promise<string | null> {
  const { parts } = call.gate;
  const look = whatChanged(call, progress);
  // It is awaited below; until then a transaction that fails is what ends the call.
  look.catch(() => undefined);
  const found = progress.approvalId === null && call.bound === null ? null : await look;
  if (call.signal.aborted || found !== null) return found;
  if (isStopped(parts.store, { run: call.gate.runs, tool: call.ruling.tool })) return "the stop switch is engaged";
  const usedUp = await recordPermit(call, progress, permit);
  if (usedUp !== null) return `${usedUp.name} is used up`;
  return progress.full === null ? await look : spentText(progress.full);
}

async function whatChanged(call: RuledCall, progress: Progress): Promise<string | null> {
  const { parts, bench } = call.gate;
  const found = difference(progress.measured, await measure(bench, call.judgement.call.requests));
  if (found !== null) return found;
  if (!progress.hasBegun && call.bound !== null && (await boundState(parts.session)) !== call.bound) return "the workspace was changed since this was decided";
  return null;
}

// Gives the limit of a rule that others used up meanwhile. What arrived, what was ruled, budget, approval and permit are one transaction, on disk before anything happens: a process that dies now has spent them.
async function recordPermit(call: RuledCall, progress: Progress, permit: AuditPayload): Promise<BudgetWindow | null> {
  const { runId } = call.gate.parts;
  const entry = (payload: AuditPayload): AuditEntry => ({ run: runId, payload });
  let usedUp: BudgetWindow | null = null;
  await call.gate.permits(() => {
    const begun = progress.hasBegun ? { moves: [], usedUp } : beginning(call, progress);
    ({ usedUp } = begun);
    return progress.full === null && usedUp === null ? [...begun.moves, permit].map(entry) : [];
  });
  progress.hasBegun = progress.full === null && usedUp === null;
  return usedUp;
}

type Begun = { readonly moves: readonly AuditPayload[]; readonly usedUp: BudgetWindow | null };

/** Spends what the first action spends. Gives what was taken, as it is recorded; or what had too little left, and nothing was taken. */
function beginning({ gate, ruling, judgement }: RuledCall, progress: Progress): Begun {
  const { approvals, budget, parts } = gate;
  const amounts = { ...(progress.isCounted && { actions: 1 }), ...ruleAmounts(budget, parts.policy, judgement.call, ruling.decision) };
  const taken = progress.arrival.full === null ? take(budget, ruling.callId, amounts) : { full: progress.arrival.full };
  if ("full" in taken) {
    if (ruleOf(taken.full.meter) !== null) return { moves: [], usedUp: taken.full };
    progress.full = taken.full;
    return { moves: [], usedUp: null };
  }
  if (progress.approvalId !== null && !consumeApproval(approvals, progress.approvalId))
    throw new AgentError("broken-invariant", "An approval was about to be used twice.");
  return { moves: taken.move === null ? [] : [taken.move], usedUp: null };
}

type PermittedAction = { readonly digest: string; readonly does: string; readonly target: Readonly<Record<string, unknown>> };

function permitRecord(call: RuledCall, { digest, does, target }: PermittedAction): AuditPayload {
  return {
    kind: "permit-spent",
    call: call.ruling.callId,
    ruling: call.ruling.digest,
    action: digest,
    does,
    target: storedValue(target, redactFor(call.gate.parts.audit)),
  };
}

function targetOf(action: SandboxAction): Readonly<Record<string, unknown>> {
  if (action.kind === "exec" || action.kind === "start-job") return { argv: action.argv, cwd: action.cwd };
  if (action.kind === "list-jobs") return {};
  if (action.kind === "request") return { method: action.request.method, url: action.request.url };
  if (action.kind === "browse") return { deed: action.order.deed.kind, url: action.order.url };
  return "job" in action ? { job: action.job } : { path: action.path };
}

export function note(progress: Progress, outcome: Outcome): void {
  progress.lastOutcome = outcome.kind;
  const result = outcome.kind === "completed" ? outcome.result : "partial" in outcome ? outcome.partial : null;
  if (result?.kind === "exec") progress.exitCode = result.exitCode;
}

export function refused(reason: string): Outcome {
  return { kind: "denied", reason, durationMs: 0 };
}
