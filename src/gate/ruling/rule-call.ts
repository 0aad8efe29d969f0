import { openApproval } from "../../approvals/approval.ts";
import { appendAudit, deferAudit } from "../../audit/log/log.ts";
import { redactFor } from "../../audit/entries/redact.ts";
import { storedBeginning } from "../../audit/entries/stored-value.ts";
import type { ToolCall, ToolRequest } from "../../tools/contract/tool.ts";
import { answeringRule } from "./settling-rule.ts";
import { boundState } from "../facts/workspace-digest.ts";
import type { DecodedCall } from "./decode-call.ts";
import { judge } from "./judge.ts";
import { reachesOut, runsCode } from "../facts/needed-facts.ts";
import type { RuledCall } from "./ruled-call.ts";
import type { GateState } from "../gate-state.ts";
import type { CallOptions } from "../gate.ts";
import { profileDigest, rulingOf, rulingRecord, type Binding } from "./ruling.ts";
import { variableMarks } from "./variable-marks.ts";

/** Rules on a decoded call and records the ruling. When it returns, a ruling that is no permission is on disk; one that is goes there with the permit. */
export async function ruleCall(gate: GateState, call: ToolCall, decoded: DecodedCall, options: CallOptions): Promise<RuledCall> {
  const ruled = await judgeCall(gate, call, decoded, options);
  recordRuling(ruled);
  return ruled;
}

/** Measures and decides without recording anything: what a decision made now would be bound to. No job of the run moves meanwhile. */
export async function judgeCall(gate: GateState, call: ToolCall, decoded: DecodedCall, options: CallOptions): Promise<RuledCall> {
  return await gate.parts.session.still(() => judgeAtRest(gate, call, decoded, options));
}

async function judgeAtRest(gate: GateState, call: ToolCall, decoded: DecodedCall, options: CallOptions): Promise<RuledCall> {
  const { parts } = gate;
  const bench = { ...gate.bench, asksLeft: () => asksLeftFor(gate, call) };
  const wanted = decoded.tool.requests(decoded.input, parts.setting);
  const judgement = await judge(bench, decoded.tool.name, wanted);
  const binding = bindingOf(gate, decoded, wanted);
  // A person approves what they were shown: where code runs, all that it could load is bound; where something leaves the workspace, all that could go along.
  const { requests } = judgement.call;
  const isBound = judgement.decision.verdict === "ask" && (runsCode(requests) || reachesOut(requests));
  const bound = isBound ? await boundState(parts.session) : null;
  const ruling = rulingOf(call, judgement.decision, binding, { measured: judgement.measured, bound });
  const { following = [], signal, emit, delegate, runScript, sample } = options;
  return { gate, ruling, binding, judgement, wanted, bound, following, signal, emit, delegate, runScript, sample };
}

/** A question that is open has been counted: the limit on questions leaves its call to the answer. */
function asksLeftFor({ bench, approvals, parts }: GateState, call: ToolCall): number | null {
  const left = bench.asksLeft();
  if (left === null || left > 0) return left;
  const state = openApproval(approvals, parts.runId, call.id, "")?.state;
  return state === "pending" || state === "granted" ? null : left;
}

export function recordRuling(call: RuledCall): void {
  const { gate, ruling, binding } = call;
  const record = rulingRecord(ruling, binding, { measured: gate.bench.source.measured, redact: redactFor(gate.parts.audit), labels: gate.labels.all() });
  const settled = ruling.decision.verdict === "ask" ? { settledBy: settledBy(call) } : {};
  const { audit, runId } = gate.parts;
  const payload = { ...record, ...settled };
  if (ruling.decision.verdict === "allow") deferAudit(audit, runId, () => payload);
  else appendAudit(audit, { run: runId, payload });
}

function settledBy(call: RuledCall): string | null {
  const rule = answeringRule(call);
  return rule === null ? null : storedBeginning(rule, redactFor(call.gate.parts.audit));
}

function bindingOf({ parts }: GateState, decoded: DecodedCall, wanted: readonly ToolRequest[]): Binding {
  const command = wanted.find((request) => request.kind === "command");
  return {
    tool: decoded.tool.name,
    input: decoded.input,
    cwd: command?.kind === "command" ? command.cwd : parts.setting.workspace,
    env: {},
    variables: variableMarks(parts),
    profile: profileDigest(parts.session),
    image: parts.session.imageDigest,
    policy: parts.policy.digest,
    run: parts.runId,
  };
}
