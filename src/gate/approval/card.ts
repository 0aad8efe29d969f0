import { cardDifference } from "../../approvals/card-difference.ts";
import { lastGranted, type Approval } from "../../approvals/approval.ts";
import type { ApprovalCard, CardDifference } from "../../approvals/card.ts";
import { canonicalJson } from "../../base/digest.ts";
import { type Label, labelText } from "../../policy/label.ts";
import { placeOf } from "./place-of-rule.ts";
import { changedSince } from "../facts/workspace-digest.ts";
import { openWords } from "../../shell/effects/read-program.ts";
import { containmentOf, wantsWord } from "./containment.ts";
import { foreseenChange } from "./file-change.ts";
import { grantExamples } from "./grant-examples.ts";
import { whyPointless } from "./pointless.ts";
import { confirmationsOf } from "./confirmations.ts";
import { describeCall } from "../ruling/describe-call.ts";
import { grantPattern } from "./grant-pattern.ts";
import { jobOffer } from "./job-call.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";

/** The card of a ruled call: everything that its approval is bound to, uncut. `earlier`: the question about this very call that it replaces. */
export async function approvalCard(call: RuledCall, approvalId: string, earlier: Approval | null): Promise<ApprovalCard> {
  const card = await cardOf(call, approvalId);
  return { ...card, differs: differenceOf(call, card, earlier) };
}

async function cardOf(call: RuledCall, approvalId: string): Promise<ApprovalCard> {
  const { ruling, binding, gate, judgement } = call;
  const confirmation = confirmationOf(call);
  const { change, problem } = await foreseenChange(call);
  const pattern = confirmation.needsCode ? null : grantPattern(call);
  const examples = pattern === null ? null : await grantExamples(call, pattern);
  const described = describeCall(judgement.call, judgement.measured);
  return {
    approvalId,
    runId: gate.parts.runId,
    ...questionOf(call),
    ...askerOf(call),
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
      ...[...judgement.measured.files].filter(([path]) => path !== change?.path).map(([path, hash]) => `${path} ${hash ?? "(not there)"}`),
      ...Object.entries(binding.variables).map(([name, mark]) => `the variable ${name} (its value marked ${mark})`),
    ],
    imageDigest: binding.image ?? "none",
    policyDigest: ruling.policy,
    rulingDigest: ruling.digest,
    risk: ruling.decision.risk,
    asked: ruling.decision.rules.filter((rule) => rule.verdict === "ask").map((rule) => ({ id: rule.id, reason: rule.reason, at: placeOf(rule) })),
    effects: ruling.decision.units.map((unit) => `${unit.verdict}: ${unit.unit.kind}: ${unit.unit.subject}`),
    ...seenBy(call),
    change,
    sort: sortOf(call),
    containment: containmentOf(call),
    pointless: problem ?? whyPointless(call),
    wantsWord: wantsWord(call),
    expiresAtMs: gate.parts.clock.nowMs() + gate.parts.approvalTimeoutMs,
    differs: null,
    together: [],
    ...confirmation,
    grant: examples === null ? null : pattern,
    grantExamples: examples,
    ...jobOf(call, confirmation.needsCode),
    grantKey: gate.grantKey,
  };
}

function seenBy({ gate }: RuledCall): Pick<ApprovalCard, "seen"> {
  const labels = gate.labels.all();
  return labels.length === 0 ? {} : { seen: byWeight(labels).map(labelText) };
}

/** What is both first: a screen shows the beginning. */
function byWeight(labels: readonly Label[]): readonly Label[] {
  return labels.toSorted((one, other) => Number(other.isSensitive) - Number(one.isSensitive));
}

function jobOf(call: RuledCall, needsCode: boolean): Pick<ApprovalCard, "job"> {
  const job = needsCode || call.wanted.some(({ kind }) => kind === "question") ? null : jobOffer(call);
  return job === null ? {} : { job };
}

function questionOf({ wanted }: RuledCall): Pick<ApprovalCard, "question"> {
  const request = wanted.find(({ kind }) => kind === "question");
  return request?.kind === "question" ? { question: { text: request.question, choices: request.choices } } : {};
}

function askerOf({ gate: { parts } }: RuledCall): Pick<ApprovalCard, "asker"> {
  const [parent] = parts.ancestors ?? [];
  return parent === undefined ? {} : { asker: { parent, task: parts.task ?? "" } };
}

/** How many persons must say yes to a ruled call, and whether with a one-time code. */
export function confirmationOf({ ruling, gate }: RuledCall): Pick<ApprovalCard, "needed" | "needsCode"> {
  return confirmationsOf(gate.parts.policy, gate.bench.narrowing?.() ?? [], ruling.decision);
}

/** Against the voided yes for this very call, else against the last yes to a call of its sort. */
function differenceOf(call: RuledCall, card: ApprovalCard, earlier: Approval | null): CardDifference | null {
  if (earlier !== null) return against(earlier, cardDifference(earlier.card, card, changesOf(call, earlier)), true);
  const { approvals } = call.gate;
  const alike = lastGranted(approvals, card.workspace, card.tool).find((approval) => approval.card.sort === card.sort);
  return alike === undefined ? null : against(alike, cardDifference(alike.card, card, changesOf(call, alike)), false);
}

function changesOf(call: RuledCall, earlier: Approval): readonly string[] {
  return call.bound === null ? [] : changedSince(call.gate.parts.session.profile, earlier.askedAtMs);
}

function against(approval: Approval, lines: readonly string[], isVoided: boolean): CardDifference {
  const shown = lines.length === 0 && isVoided ? ["~ what the code could load is not what it was"] : lines;
  return { approvalId: approval.id, by: approval.answeredBy ?? "nobody yet", atMs: approval.askedAtMs, isVoided, lines: shown };
}

/** `git commit` is compared with another `git commit`, and a change of a file with another change of that file. */
function sortOf({ ruling, judgement: { call } }: RuledCall): string {
  const sorts = call.requests.flatMap((request) => {
    if (request.kind === "command") return request.analysis.simples.map((simple) => openWords(simple)?.program ?? simple.program ?? "?");
    return request.kind === "write" || request.kind === "read" || request.kind === "server-path" ? [request.path] : [];
  });
  return [ruling.tool, ...new Set(sorts)].join(" ");
}
