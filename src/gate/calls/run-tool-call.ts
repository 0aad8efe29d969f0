import { appendAudit, deferAudit } from "../../audit/log/log.ts";
import { redactFor } from "../../audit/entries/redact.ts";
import { storedBeginning, storedValue } from "../../audit/entries/stored-value.ts";
import { AgentError } from "../../base/errors.ts";
import { fullWindow, type BudgetWindow } from "../../budgets/budget.ts";
import { labelOf } from "../../policy/label.ts";
import { countsAsAction } from "../../policy/deciding/evaluate.ts";
import { notesOf, resultText, type ToolCall, type ToolResult } from "../../tools/contract/tool.ts";
import { errorResult } from "../ruling/denial-text.ts";
import { certainFailure } from "../approval/certain-failure.ts";
import { claimGranted, settleAsk } from "../approval/settle-ask.ts";
import { spentText, take } from "../budget-record.ts";
import { boundedResult, type Spool } from "./bounded-result.ts";
import { decodeCall, type DecodedCall, recordRejection, storedName } from "../ruling/decode-call.ts";
import type { CallEnd, CallOptions, GateEvent } from "../gate.ts";
import { afterTool, beforeAsk, type Consulted, hookedCall } from "../hooks/consult.ts";
import { judgeCall, recordRuling, ruleCall } from "../ruling/rule-call.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";
import type { Arrival, Progress } from "./progress.ts";
import { noteWritten, resultLabels } from "./result-labels.ts";
import { runTool } from "./run-tool.ts";
import { createUpdates } from "./updates.ts";
import { closed, denied, failed, recordOutcome, unapproved } from "./without-action.ts";
import type { GateState } from "../gate-state.ts";

/** How often a person is asked about one call whose facts change under it. */
const MAX_ASK_ROUNDS = 5;

/**
 * One call from its arrival to its end: decoded, ruled on, recorded, asked about, carried out, recorded.
 * Answers every call with one end. Throws only what must end the run: when the audit log or the store
 * cannot be written, or an invariant is broken; then nothing further runs.
 */
export async function runToolCall(gate: GateState, call: ToolCall, options: CallOptions): Promise<CallEnd> {
  try {
    const end = await carryThrough(gate, call, { ...options, emit: unfailing(options.emit) });
    return withLabels(gate, call, end);
  } catch (error) {
    if (error instanceof AgentError) throw error;
    // A fault of ours before anything ran: refused, and recorded where that is possible.
    const redact = redactFor(gate.parts.audit);
    const reason = `Warder failed while it judged this call: ${error instanceof Error ? error.message : "unknown fault"}`;
    appendAudit(gate.parts.audit, {
      run: gate.parts.runId,
      payload: { kind: "call-rejected", call: call.id, tool: storedName(gate.parts, call), input: null, problem: storedBeginning(reason, redact) },
    });
    return { kind: "fault", result: errorResult("Denied by rule gate-fault: Warder failed while it judged this call, so it did not run."), ruling: null };
  }
}

/** From here on the model counts as having been given it. What a hook put in place of a result is its program's words. */
function withLabels({ parts, labels }: GateState, call: ToolCall, end: CallEnd): CallEnd {
  const { result } = end;
  const isUnlabelled = result.label === "untrusted" && result.labels === undefined;
  const made = isUnlabelled
    ? [labelOf({ trust: "untrusted", isSensitive: false, source: `tool ${storedName(parts, call)}`, call: call.id, run: parts.runId })]
    : result.labels;
  labels.add(made ?? []);
  return isUnlabelled && made !== undefined ? { ...end, result: { ...result, labels: made } } : end;
}

// Listeners cannot affect a call. One that throws is dropped for the rest of that call.
function unfailing(emit: CallOptions["emit"]): CallOptions["emit"] {
  let hasFailed = false;
  const fail = (): void => {
    hasFailed = true;
  };
  return (event) => {
    if (hasFailed) return undefined;
    try {
      const taken = emit(event);
      return taken instanceof Promise ? taken.then(undefined, fail) : undefined;
    } catch (error) {
      void error;
      return fail();
    }
  };
}

async function carryThrough(gate: GateState, call: ToolCall, options: CallOptions): Promise<CallEnd> {
  if (options.signal.aborted) return { kind: "cancelled", result: errorResult("Cancelled before it ran."), ruling: null };
  const full = fullWindow(gate.budget, { calls: 1 });
  if (full !== null) return uncounted(gate, call, full);
  const arrival = recordArrival(gate, call);
  const decoded = decodeCall(gate, call);
  if (decoded.kind === "rejected") {
    if (decoded.end.ruling !== null) options.emit({ kind: "ruling", ruling: decoded.end.ruling, input: call.input });
    return decoded.end;
  }
  return await hookedCall(gate, { call, decoded, options }, async (about, hooked) => {
    if (hooked.kind === "decoded") return await carryHooked(about, call, hooked, arrival);
    recordRejection(gate, call, resultText(hooked.end.result));
    return await seenByHooks(about, hooked.end);
  });
}

/** What the hooks make of the result of a call that never ran. */
async function seenByHooks(about: Consulted, end: CallEnd): Promise<CallEnd> {
  return { ...end, result: await afterTool(about, end.result, { outcome: end.kind === "executed" ? "failed" : end.kind, isRefusal: true }) };
}

async function carryHooked(about: Consulted, call: ToolCall, decoded: DecodedCall, arrival: Arrival): Promise<CallEnd> {
  const { gate } = about;
  const settled = await settle(about, call, decoded);
  gate.settled.add(call.id);
  if (settled.kind === "ended") return settled.end.kind === "parked" ? settled.end : await seenByHooks(about, settled.end);
  const { ruled, approvalId } = settled;
  const isCounted = countsAsAction(gate.parts.policy, ruled.ruling.decision);
  const noAction = isCounted ? fullWindow(gate.budget, { actions: 1 }) : null;
  if (noAction !== null) return await seenByHooks(about, closed(ruled, "budget", spentText(noAction)));
  return await execute(ruled, about, decoded, { arrival, approvalId, isCounted });
}

// On disk with the first record that must be: at the latest with the permit, before anything of the call runs.
function recordArrival({ parts, budget }: GateState, call: ToolCall): Arrival {
  const { id, input } = call;
  const redact = redactFor(parts.audit);
  const payload = { kind: "call", call: id, tool: storedName(parts, call), input: storedValue(input, redact) } as const;
  deferAudit(parts.audit, parts.runId, () => payload);
  const arrival: Arrival = { full: null };
  deferAudit(parts.audit, parts.runId, () => {
    const taken = take(budget, id, { calls: 1 });
    arrival.full = "full" in taken ? taken.full : null;
    return "full" in taken ? null : taken.move;
  });
  return arrival;
}

// Beyond the limit of calls none is looked at: nothing is measured, nobody is asked.
function uncounted({ parts }: GateState, call: ToolCall, window: BudgetWindow): CallEnd {
  const text = spentText(window);
  const redact = redactFor(parts.audit);
  const input = storedValue(call.input, redact);
  appendAudit(parts.audit, { run: parts.runId, payload: { kind: "call-rejected", call: call.id, tool: storedName(parts, call), input, problem: text } });
  return { kind: "budget", result: errorResult(text), ruling: null };
}

type Settled =
  | { readonly kind: "ended"; readonly end: CallEnd }
  | { readonly kind: "allowed"; readonly ruled: RuledCall; /** Claimed, to be consumed. */ readonly approvalId: string | null };

/**
 * Rules, and asks where the ruling says so, until the call is allowed or has ended. What a person said yes to is measured again before
 * it counts: when it changed while they thought, the yes is void, and they are asked again with the difference before them.
 */
async function settle(about: Consulted, call: ToolCall, decoded: DecodedCall): Promise<Settled> {
  const { gate, options } = about;
  const ended = (end: CallEnd): Settled => ({ kind: "ended", end });
  let ruled = await ruleCall(gate, call, decoded, options);
  for (let round = 0; round < MAX_ASK_ROUNDS; round += 1) {
    const { ruling } = ruled;
    options.emit({ kind: "ruling", ruling, input: decoded.input });
    if (ruling.decision.verdict === "deny") return ended(denied(ruled));
    if (ruling.decision.verdict === "allow") return { kind: "allowed", ruled, approvalId: null };
    const failure = await certainFailure(ruled);
    if (failure !== null) return ended(failed(ruled, failure));
    const blocked = await beforeAsk(about, ruling);
    if (blocked !== null) return ended({ ...closed(ruled, "budget", resultText(blocked.result)), ...blocked });
    const end = await gate.questions(() => settleAsk(ruled));
    if (end.kind !== "granted") return ended(unapproved(ruled, end, options));
    if (end.approvalId === null) return { kind: "allowed", ruled, approvalId: null };
    const again = await judgeCall(gate, call, decoded, options);
    // The digest binds what would run; the verdict on it may have become a denial all the same (a limit that others used up).
    if (again.ruling.digest === ruling.digest && again.ruling.decision.verdict !== "deny") {
      const problem = claimGranted(ruled, end.approvalId);
      return problem === null ? { kind: "allowed", ruled, approvalId: end.approvalId } : ended({ kind: "denied", result: errorResult(problem), ruling });
    }
    recordRuling(again);
    ruled = again;
  }
  return ended({
    ...closed(ruled, "budget", `Denied by rule facts-changed: what this rests on changed ${MAX_ASK_ROUNDS} times while a person thought about it.`),
    kind: "denied",
  });
}

async function execute(
  call: RuledCall,
  about: Consulted,
  decoded: DecodedCall,
  spent: Pick<Progress, "arrival" | "approvalId" | "isCounted">,
): Promise<CallEnd> {
  const { gate, ruling } = call;
  const { parts } = gate;
  const progress: Progress = {
    ...spent,
    pending: new Set(),
    hasBegun: false,
    hasActed: false,
    isOver: false,
    full: null,
    voided: null,
    measured: call.judgement.measured,
    lastOutcome: "completed",
    toolFault: null,
    exitCode: null,
    labels: [],
    delegated: [],
    delegations: 0,
    named: new Map(),
    parkedOn: null,
    fault: null,
  };
  const startedMs = parts.clock.monotonicMs();
  call.emit({ kind: "tool-start", callId: ruling.callId, tool: ruling.tool });
  const over = new AbortController();
  const limited: RuledCall = { ...call, signal: AbortSignal.any([call.signal, over.signal]) };
  const updates = createUpdates(ruling.callId, call.emit, parts.session.redact);
  const made = await runTool(limited, decoded, progress, updates);
  // A handle that a tool kept is of no use any more, and what it left running ends now: nothing happens after the outcome is recorded.
  progress.isOver = true;
  over.abort();
  const dropped = updates.close();
  await Promise.allSettled(progress.pending);
  if (isParked(call, progress)) return parked(call, progress);
  const durationMs = parts.clock.monotonicMs() - startedMs;
  const spool = {
    artifacts: parts.store.paths.artifacts,
    runId: parts.runId,
    callId: ruling.callId,
    maxResultChars: decoded.tool.traits.maxResultChars,
    redact: parts.session.redact,
  };
  const ofHooks: GateEvent[] = [];
  const after = { ...about, options: { ...about.options, emit: (event: GateEvent) => void ofHooks.push(event) } };
  const raw = await afterTool(after, made, { outcome: outcomeOf(progress, made), isRefusal: progress.voided !== null || progress.full !== null });
  const result = resultOf(raw, spool, limited, progress);
  if (progress.hasActed) noteWritten(limited, result.labels ?? []);
  const outcome = outcomeOf(progress, made);
  recordOutcome(call, {
    outcome,
    exitCode: progress.exitCode,
    durationMs,
    text: resultText(result),
    ...(result.labels === undefined ? {} : { labels: result.labels }),
  });
  const { isError, childRunId } = result;
  const { exitCode } = progress;
  call.emit({
    kind: "tool-end",
    callId: ruling.callId,
    tool: ruling.tool,
    isError,
    outcome,
    exitCode,
    notes: notesOf(result),
    durationMs,
    ...(dropped === 0 ? {} : { dropped }),
    ...(childRunId === undefined ? {} : { childRunId }),
  });
  for (const event of ofHooks) call.emit(event);
  return ending(call, progress, result);
}

// An action that completed is not the call's end: a tool that found no text to replace has changed nothing.
function outcomeOf(progress: Progress, { isError }: ToolResult): string {
  if (progress.fault !== null) return "fault";
  if (progress.voided !== null) return "denied";
  if (progress.toolFault !== null) return progress.toolFault;
  return progress.lastOutcome === "completed" && isError ? "failed" : progress.lastOutcome;
}

// What cannot be made a result of (it has no JSON form) has happened all the same, and its outcome is recorded.
function resultOf(raw: ToolResult, spool: Spool, call: RuledCall, progress: Progress): ToolResult {
  try {
    return boundedResult(raw, spool, (hasSecret) => resultLabels(call, progress, raw, hasSecret));
  } catch (error) {
    progress.fault ??= error;
    return errorResult("Failed: what came of it cannot be shown.");
  }
}

function ending(call: RuledCall, progress: Progress, result: ToolResult): CallEnd {
  const { ruling } = call;
  if (progress.fault instanceof AgentError) throw progress.fault;
  if (progress.fault !== null) return { kind: "fault", result: errorResult("Failed: Warder could not carry it out safely, so it stopped."), ruling };
  if (progress.full !== null) return { kind: "budget", result: errorResult(spentText(progress.full)), ruling };
  if (progress.voided !== null) {
    const did = progress.hasActed ? "The call was stopped" : "Nothing of it ran";
    return { kind: "denied", result: errorResult(`Denied by rule facts-changed: ${progress.voided}. ${did}. Look again, then try again.`), ruling };
  }
  return {
    kind: progress.lastOutcome === "cancelled" || progress.toolFault === "cancelled" ? "cancelled" : "executed",
    result,
    ruling,
    exitCode: progress.exitCode,
    ...(progress.delegated.length === 0 ? {} : { delegated: progress.delegated }),
  };
}

/** A sub-agent waits for a person, so the call has no end yet: it is ruled on again when the run goes on, and finds its sub-agent. */
function isParked({ signal }: RuledCall, { parkedOn, fault, toolFault }: Progress): boolean {
  return parkedOn !== null && fault === null && toolFault === null && !signal.aborted;
}

function parked({ ruling }: RuledCall, { parkedOn }: Progress): CallEnd {
  return { kind: "parked", result: errorResult("Waiting for a person."), ruling, approvalId: parkedOn ?? "" };
}
