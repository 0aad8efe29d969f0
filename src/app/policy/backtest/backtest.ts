import { statSync } from "node:fs";
import type { AuditLog } from "../../../audit/log/log.ts";
import { type Clock, systemClock } from "../../../base/clock.ts";
import { budgetOf } from "../../../budgets/accounts.ts";
import { type Amounts, type Budget, charge, left } from "../../../budgets/budget.ts";
import { judgeCall } from "../../../gate/check.ts";
import type { Decision, Verdict } from "../../../policy/decision.ts";
import { countsAsAction } from "../../../policy/deciding/evaluate.ts";
import { openPassingLedger } from "../../../store/passing-ledger.ts";
import { createRegistry } from "../../../tools/registry.ts";
import { readForReview, type ReviewContext } from "../../setup/context.ts";
import { keptInput } from "./kept-input.ts";
import { type LoggedCall, loggedCalls, type LogSpan } from "./logged-calls.ts";

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
  const contexts = new Map<string, ReviewContext | null>();
  const ledger = openPassingLedger();
  const replayed: ReplayedCall[] = [];
  const lost = new Map<string, number>();
  try {
    for (const call of loggedCalls(audit, span)) {
      const context = contextFor(call, policyFile, contexts);
      const result = context === null ? "its workspace is no longer there" : await replay(call, context, ledger);
      if (typeof result === "string") lost.set(result, (lost.get(result) ?? 0) + 1);
      else replayed.push(result);
    }
  } finally {
    ledger.close();
  }
  return { policy: own.policy.name, digest: own.policy.digest, replayed, lost, unconfirmed: own.unconfirmed };
}

function contextFor({ workspace }: LoggedCall, policyFile: string, contexts: Map<string, ReviewContext | null>): ReviewContext | null {
  if (workspace === null) return null;
  const known = contexts.get(workspace);
  if (known !== undefined) return known;
  const isThere = statSync(workspace, { throwIfNoEntry: false })?.isDirectory() === true;
  const context = isThere ? readForReview(policyFile, workspace, process.cwd()) : null;
  contexts.set(workspace, context);
  return context;
}

const TOOLS = createRegistry();

async function replay(call: LoggedCall, context: ReviewContext, store: Budget["store"]): Promise<ReplayedCall | string> {
  const { policy, workspace, home, ownPaths } = context;
  const tool = TOOLS.find(call.tool);
  if (tool === undefined) return "its tool is none of this version's own";
  const setting = { workspace, home };
  const kept = keptInput(tool, call.input, setting);
  if ("lost" in kept) return kept.lost;
  const clock: Clock = { ...systemClock, nowMs: () => call.atMs };
  const budget = budgetOf(policy, { workspace, runId: call.run, job: null }, { store, clock });
  const state = { isStopped: () => false, actionsLeft: () => left(budget, "actions"), asksLeft: () => left(budget, "asks") };
  const parts = { policy, tools: TOOLS, setting, containment: call.containment, ownPaths, clock, labels: call.labels, state };
  if (left(budget, "calls") === 0) return { ...call, now: "deny", rule: "budget-calls", at: null, reason: "The limit on calls is used up." };
  const { decision } = await judgeCall(parts, { name: call.tool, input: kept.input });
  charge(budget, amountsOf(call, decision, countsAsAction(policy, decision)));
  const [rule] = decision.rules;
  const at = rule?.at === undefined ? null : `${rule.at.file}:${String(rule.at.line)}`;
  return { ...call, now: decision.verdict, rule: rule?.id ?? "none", at, reason: decision.reason };
}

/** What the call would have taken: a question, and the action where it may run. A question that was never asked counts as answered with yes, as most are. */
function amountsOf(call: LoggedCall, { verdict }: Decision, isAction: boolean): Amounts {
  const mayRun = verdict === "allow" || (verdict === "ask" && call.answer !== "refused");
  return { calls: 1, ...(verdict === "ask" && { asks: 1 }), ...(isAction && mayRun && { actions: 1 }) };
}
