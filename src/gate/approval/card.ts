import { cardDifference } from "../../approvals/card-difference.ts";
import { lastGranted, type Approval } from "../../approvals/approval.ts";
import type { ApprovalCard, CardDifference } from "../../approvals/card.ts";
import { canonicalJson } from "../../base/digest.ts";
import type { RuleVoice } from "../../policy/decision.ts";
import { changedSince } from "../facts/workspace-digest.ts";
import { describeCall } from "../ruling/describe-call.ts";
import { grantPattern } from "./grant-pattern.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";

/** The card of a ruled call: everything that its approval is bound to, uncut. `earlier`: the question about this very call that it replaces. */
export function approvalCard(call: RuledCall, approvalId: string, earlier: Approval | null): ApprovalCard {
  const card = cardOf(call, approvalId);
  return { ...card, differs: differenceOf(call, card, earlier) };
}

function cardOf(call: RuledCall, approvalId: string): ApprovalCard {
  const { ruling, binding, gate, judgement } = call;
  const confirmation = confirmationOf(call);
  const described = describeCall(judgement.call, judgement.measured.paths);
  return {
    approvalId,
    runId: gate.parts.runId,
    workspace: gate.parts.setting.workspace,
    tool: ruling.tool,
    input: canonicalJson(binding.input),
    commands: described.commands,
    cwd: binding.cwd,
    env: binding.env,
    reads: described.reads,
    writes: described.writes,
    hosts: described.hosts,
    inputs: [
      ...[...judgement.measured.files].map(([path, hash]) => `${path} ${hash ?? "(not there)"}`),
      ...Object.entries(binding.variables).map(([name, mark]) => `the variable ${name} (its value marked ${mark})`),
    ],
    imageDigest: binding.image ?? "none",
    policyDigest: ruling.policy,
    rulingDigest: ruling.digest,
    risk: ruling.decision.risk,
    asked: ruling.decision.rules.filter((rule) => rule.verdict === "ask").map((rule) => ({ id: rule.id, reason: rule.reason, at: placeOf(rule) })),
    effects: ruling.decision.units.map((unit) => `${unit.verdict}: ${unit.unit.kind}: ${unit.unit.subject}`),
    expiresAtMs: gate.parts.clock.nowMs() + gate.parts.approvalTimeoutMs,
    differs: null,
    together: [],
    ...confirmation,
    grant: confirmation.needsCode ? null : grantPattern(call),
    grantKey: gate.grantKey,
  };
}

/** How many persons must say yes to a call with these effects, and whether with a one-time code. */
export function confirmationOf({ ruling, gate }: RuledCall): Pick<ApprovalCard, "needed" | "needsCode"> {
  const { approvals } = gate.parts.policy;
  const kinds = ruling.decision.units.map((unit) => unit.unit.kind);
  const counts: Readonly<Partial<Record<string, number>>> = approvals?.approvers ?? {};
  const codes: readonly string[] = approvals?.codes ?? [];
  const needed = Math.max(1, ...kinds.map((kind) => counts[kind] ?? 1));
  return { needed, needsCode: needed > 1 || kinds.some((kind) => codes.includes(kind)) };
}

/** Against the voided yes for this very call, else against the last yes to a call of its kind. */
function differenceOf(call: RuledCall, card: ApprovalCard, earlier: Approval | null): CardDifference | null {
  if (earlier !== null) return against(earlier, cardDifference(earlier.card, card, changesOf(call, earlier)), true);
  const { approvals } = call.gate;
  const alike = lastGranted(approvals, card.workspace, card.tool).find((approval) => programOf(approval.card) === programOf(card));
  return alike === undefined ? null : against(alike, cardDifference(alike.card, card), false);
}

function changesOf(call: RuledCall, earlier: Approval): readonly string[] {
  return call.bound === null ? [] : changedSince(call.gate.parts.session.profile, earlier.askedAtMs);
}

function against(approval: Approval, lines: readonly string[], isVoided: boolean): CardDifference | null {
  const shown = lines.length > 0 ? lines : isVoided ? ["~ what the code could load is not what it was"] : [];
  if (shown.length === 0) return null;
  return { approvalId: approval.id, by: approval.answeredBy ?? "nobody yet", atMs: approval.askedAtMs, isVoided, lines: shown };
}

/** The first word of the first command: `git push` is compared with another `git`. */
function programOf(card: ApprovalCard): string {
  return card.commands[0]?.split(" ", 1)[0] ?? "";
}

function placeOf(rule: RuleVoice): string {
  return rule.at === undefined ? "built in" : `${rule.at.file}:${rule.at.line}`;
}
