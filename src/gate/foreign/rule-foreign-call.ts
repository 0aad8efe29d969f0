import { appendAudit, appendAuditTogether, type AuditEntry } from "../../audit/log/log.ts";
import { redactFor } from "../../audit/entries/redact.ts";
import { storedBeginning, storedValue } from "../../audit/entries/stored-value.ts";
import { budgetOf } from "../../budgets/accounts.ts";
import { type Amounts, type Budget, type BudgetWindow, fullWindow, left, ruleUses } from "../../budgets/budget.ts";
import { countsAsAction } from "../../policy/deciding/evaluate.ts";
import { ruleAmounts, spentText, take } from "../budget-record.ts";
import { hostFacts } from "../facts/host-facts.ts";
import { denialText } from "../ruling/denial-text.ts";
import { judge, type Bench } from "../ruling/judge.ts";
import { callDigest, rulingOf, rulingRecord, type Binding } from "../ruling/ruling.ts";
import { isStopped } from "../stop-switch.ts";
import type { ForeignCall, ForeignEnd, ForeignParts } from "./foreign-call.ts";
import { settleForeignAsk } from "./settle-foreign-ask.ts";

/**
 * Rules on a call that another agent carries out, and records it before it answers. Throws (`audit-unavailable`, `store-unavailable`) when that cannot
 * be recorded; then nothing may run.
 */
export async function ruleForeignCall(parts: ForeignParts, call: ForeignCall): Promise<ForeignEnd> {
  const budget = budgetOf(parts.policy, { workspace: parts.setting.workspace, runId: parts.runId, job: null }, parts);
  const redact = redactFor(parts.audit);
  const judgement = await judge(benchOf(parts, budget), call.tool, call.requests);
  const binding = bindingOf(parts, call);
  const { decision } = judgement;
  const ruling = rulingOf({ id: call.callId, name: call.tool, input: call.input }, decision, binding, { measured: judgement.measured, bound: null });
  const arrival = { kind: "call", call: call.callId, tool: call.tool, input: storedValue(call.input, redact) } as const;
  const record = rulingRecord(ruling, binding, { measured: "host", redact, labels: [] });
  if (parts.isShadow) {
    appendAuditTogether(parts.audit, () => [arrival, record, answered(call, decision.verdict, true)].map((payload) => ({ run: parts.runId, payload })));
    return { verdict: decision.verdict, text: decision.reason, decision };
  }
  const action = {
    ...(countsAsAction(parts.policy, decision) && { actions: 1 }),
    ...ruleAmounts(budget, parts.policy, judgement.call, decision),
  };
  const full = spend(parts, budget, call, { record: [arrival, record], amounts: { calls: 1 } }) ?? fullWindow(budget, action);
  const settled = full === null ? ending() : refusedBy(full);
  // What may run is an action from here on, whoever allowed it.
  const noAction = settled.verdict === "deny" ? null : spend(parts, budget, call, { record: [], amounts: action });
  const end = noAction === null ? settled : refusedBy(noAction);
  appendAudit(parts.audit, { run: parts.runId, payload: answered(call, end.verdict, false) });
  return { ...end, decision };

  function ending(): Omit<ForeignEnd, "decision"> {
    if (decision.verdict === "deny") return { verdict: "deny", text: denialText(decision) };
    if (decision.verdict === "allow") return { verdict: "allow", text: decision.reason };
    return settleForeignAsk(parts, { call, ruling, binding, judgement, budget, callDigest: callDigest(binding) });
  }
}

/** A call that could not be read is refused, and recorded as that. */
export function refuseForeignCall(
  { audit, runId }: Pick<ForeignParts, "audit" | "runId">,
  call: Pick<ForeignCall, "callId" | "tool" | "input">,
  problem: string,
): void {
  const redact = redactFor(audit);
  const input = storedValue(call.input, redact);
  appendAudit(audit, {
    run: runId,
    payload: { kind: "call-rejected", call: call.callId, tool: storedBeginning(call.tool, redact), input, problem: storedBeginning(problem, redact) },
  });
}

function refusedBy(window: BudgetWindow): Omit<ForeignEnd, "decision"> {
  return { verdict: "deny", text: spentText(window) };
}

/** Takes amounts and records that behind what is recorded anyway, in one transaction. The limit that has too little left, if one has. */
function spend(parts: ForeignParts, budget: Budget, call: ForeignCall, { record, amounts }: Spending): BudgetWindow | null {
  let full: BudgetWindow | null = null;
  appendAuditTogether(parts.audit, () => {
    const taken = take(budget, call.callId, amounts);
    full = "full" in taken ? taken.full : null;
    const moved = "full" in taken || taken.move === null ? [] : [taken.move];
    return [...record, ...moved].map((payload) => ({ run: parts.runId, payload }));
  });
  return full;
}

type Spending = { readonly record: readonly AuditEntry["payload"][]; readonly amounts: Amounts };

function answered({ callId }: ForeignCall, verdict: ForeignEnd["verdict"], isShadow: boolean): AuditEntry["payload"] {
  return { kind: "hook-answered", call: callId, answer: verdict, isShadow };
}

function benchOf(parts: ForeignParts, budget: Budget): Bench {
  return {
    policy: parts.policy,
    setting: parts.setting,
    source: hostFacts(
      parts.policy.workspace.roots.map((root) => root.path),
      "none",
    ),
    containment: "none",
    isSandboxReady: true,
    ownPaths: parts.ownPaths,
    clock: parts.clock,
    isStopped: (tool) => isStopped(parts.store, { run: parts.runId, tool }),
    isNetworkStopped: () => isStopped(parts.store, { isNetwork: true }),
    actionsLeft: () => left(budget, "actions"),
    asksLeft: () => left(budget, "asks"),
    uses: () => ruleUses(budget),
    // What else its model was given, nobody here knows.
    labels: () => null,
  };
}

function bindingOf({ policy, runId }: ForeignParts, { tool, input, cwd }: ForeignCall): Binding {
  return { tool, input, cwd, env: {}, variables: {}, profile: null, image: null, policy: policy.digest, run: runId };
}
