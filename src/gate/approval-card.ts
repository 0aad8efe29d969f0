import type { ApprovalCard } from "../approvals/card.ts";
import { canonicalJson } from "../base/digest.ts";
import type { RuleVoice } from "../policy/decision.ts";
import { describeCall } from "./described-call.ts";
import type { RuledCall } from "./ruled-call.ts";

/** The card of a ruled call: everything that its approval is bound to, whole. */
export function approvalCard(call: RuledCall, approvalId: string): ApprovalCard {
  const { ruling, binding, gate } = call;
  const described = describeCall(call.judgement.call, call.judgement.measured.paths);
  return {
    approvalId,
    runId: gate.parts.runId,
    tool: ruling.tool,
    input: canonicalJson(binding.input),
    commands: described.commands,
    cwd: binding.cwd,
    env: binding.env,
    reads: described.reads,
    writes: described.writes,
    hosts: described.hosts,
    imageDigest: binding.image ?? "none",
    policyDigest: ruling.policy,
    rulingDigest: ruling.digest,
    risk: ruling.decision.risk,
    asked: ruling.decision.rules.filter((rule) => rule.verdict === "ask").map((rule) => ({ id: rule.id, reason: rule.reason, at: placeOf(rule) })),
    effects: ruling.decision.units.map((unit) => `${unit.verdict}: ${unit.unit.kind}: ${unit.unit.subject}`),
    expiresAtMs: gate.parts.clock.nowMs() + gate.parts.approvalTimeoutMs,
  };
}

function placeOf(rule: RuleVoice): string {
  return rule.at === undefined ? "built in" : `${rule.at.file}:${rule.at.line}`;
}
