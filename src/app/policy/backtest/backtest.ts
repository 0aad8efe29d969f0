import type { AuditLog } from "../../../audit/log/log.ts";
import type { Budget } from "../../../budgets/budget.ts";
import { judgeCall } from "../../../gate/check.ts";
import type { Verdict } from "../../../policy/decision.ts";
import { openPassingLedger } from "../../../store/passing-ledger.ts";
import { readForReview } from "../../setup/context.ts";
import { countingOf } from "./counting.ts";
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
  const counting = countingOf(parts, call.run, store);
  if (counting.isOutOfCalls) return { ...call, now: "deny", rule: "budget-calls", at: null, reason: "The limit on calls is used up." };
  const judged = await judgeCall({ ...parts, state: counting.state }, { name, input });
  const { decision } = judged;
  // A question that was never asked counts as answered with yes, as most are.
  counting.take(judged, call.answer === "refused");
  const [rule] = decision.rules;
  const at = rule?.at === undefined ? null : `${rule.at.file}:${String(rule.at.line)}`;
  return { ...call, now: decision.verdict, rule: rule?.id ?? "none", at, reason: decision.reason };
}
