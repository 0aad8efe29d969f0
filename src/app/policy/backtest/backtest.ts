import type { AuditLog } from "../../../audit/log/log.ts";
import { budgetOf } from "../../../budgets/accounts.ts";
import { type Amounts, type Budget, charge, left, ruleUses } from "../../../budgets/budget.ts";
import { ruleAmounts } from "../../../gate/budget-record.ts";
import { judgeCall } from "../../../gate/check.ts";
import type { Decision, Verdict } from "../../../policy/decision.ts";
import { countsAsAction } from "../../../policy/deciding/evaluate.ts";
import { openPassingLedger } from "../../../store/passing-ledger.ts";
import { readForReview } from "../../setup/context.ts";
import { type LoggedCall, loggedCalls, type LogSpan } from "./logged-calls.ts";
import { type PreparedCall, replayUnder } from "./replay.ts";

/** A logged call, judged again. */
export type ReplayedCall = LoggedCall & {
  readonly now: Verdict;
  /** What decides now: a rule, where it stands, and why. */
  readonly rule: string;
  readonly at: string | null;
  readonly reason: string;
};

export type Backtest = {
  readonly policy: string;
  readonly digest: string;
  readonly replayed: readonly ReplayedCall[];
  /** What could not be judged again: how many calls, by reason. */
  readonly lost: ReadonlyMap<string, number>;
  readonly unconfirmed: readonly string[];
};

/**
 * Judges the calls of the log again under a policy, in their order: at their time, with what the model had seen, with the limits counting what would have been
 * allowed. Files are measured as they are now. Runs nothing, and spends nothing. Throws as {@link readForReview} does.
 */
export async function backtest(audit: AuditLog, policyFile: string, span: LogSpan, workspace: string): Promise<Backtest> {
  const own = readForReview(policyFile, workspace);
  const prepare = replayUnder(policyFile);
  const ledger = openPassingLedger();
  const replayed: ReplayedCall[] = [];
  const lost = new Map<string, number>();
  try {
    for (const call of loggedCalls(audit, span)) {
      const prepared = prepare(call);
      if (typeof prepared === "string") lost.set(prepared, (lost.get(prepared) ?? 0) + 1);
      else replayed.push(await replay(call, prepared, ledger));
    }
  } finally {
    ledger.close();
  }
  return { policy: own.policy.name, digest: own.policy.digest, replayed, lost, unconfirmed: own.unconfirmed };
}

async function replay(call: LoggedCall, { parts, name, input }: PreparedCall, store: Budget["store"]): Promise<ReplayedCall> {
  const { policy, clock, setting } = parts;
  const budget = budgetOf(policy, { workspace: setting.workspace, runId: call.run, job: null }, { store, clock });
  if (left(budget, "calls") === 0) return { ...call, now: "deny", rule: "budget-calls", at: null, reason: "The limit on calls is used up." };
  const state = { isStopped: () => false, actionsLeft: () => left(budget, "actions"), asksLeft: () => left(budget, "asks"), uses: () => ruleUses(budget) };
  const { call: judged, decision } = await judgeCall({ ...parts, state }, { name, input });
  const ofPermit = { ...(countsAsAction(policy, decision) && { actions: 1 }), ...ruleAmounts(budget, policy, judged, decision) };
  charge(budget, amountsOf(call, decision, ofPermit));
  const [rule] = decision.rules;
  const at = rule?.at === undefined ? null : `${rule.at.file}:${String(rule.at.line)}`;
  return { ...call, now: decision.verdict, rule: rule?.id ?? "none", at, reason: decision.reason };
}

/** What the call would have taken: a question, and what its permit takes where it may run. A question that was never asked counts as answered with yes, as most are. */
function amountsOf(call: LoggedCall, { verdict }: Decision, ofPermit: Amounts): Amounts {
  const mayRun = verdict === "allow" || (verdict === "ask" && call.answer !== "refused");
  return { calls: 1, ...(verdict === "ask" && { asks: 1 }), ...(mayRun && ofPermit) };
}
