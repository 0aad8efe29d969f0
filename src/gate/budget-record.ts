import { appendAudit, type AuditLog } from "../audit/log/log.ts";
import type { AuditPayload } from "../audit/entries/entry.ts";
import { type Amounts, type Budget, type BudgetWindow, left, reserve, ruleMeter, ruleOf, spend } from "../budgets/budget.ts";
import type { Decision } from "../policy/decision.ts";
import { usesOf } from "../policy/deciding/evaluate.ts";
import type { Policy } from "../policy/policy.ts";
import type { CallRequest } from "../policy/request.ts";

/** What was taken, as it is recorded (null where no limit counts it); or the limit that had too little left, and nothing was taken. */
export type Taken = { readonly move: AuditPayload | null } | { readonly full: BudgetWindow };

/** Takes the amounts for a call and says that they are spent. Within the transaction that records it. */
export function take(budget: Budget, call: string, amounts: Amounts): Taken {
  const reservation = reserve(budget, amounts);
  if (reservation.kind === "spent") return { full: reservation.window };
  spend(budget, reservation);
  return { move: moveOf(budget, call, amounts) };
}

/** What a decided call takes of the limits of rules: as many uses as it has commands of each, or all that is left where nobody can count them. */
export function ruleAmounts(budget: Budget, policy: Policy, call: CallRequest, decision: Pick<Decision, "rules">): Amounts {
  const amounts = [...usesOf(policy, call, decision)].map(([id, count]) => {
    const meter = ruleMeter(id);
    return [meter, Number.isFinite(count) ? count : Math.max(1, left(budget, meter) ?? 1)] as const;
  });
  return Object.fromEntries(amounts);
}

/** Why a limit that is used up lets nothing run. */
export function spentText({ meter, name }: BudgetWindow): string {
  const rule = ruleOf(meter);
  if (rule !== null) return `Denied by rule ${rule}: ${name} is used up.`;
  return `Denied by rule budget-${meter}: ${name} is used up.`;
}

/** Records what was just spent of the limits that count it. Nothing where no limit does. Not within a transaction: the log has its own. */
export function recordMove(audit: AuditLog, budget: Pick<Budget, "windows" | "runId">, call: string | null, amounts: Amounts): void {
  const payload = moveOf(budget, call, amounts);
  if (payload !== null) appendAudit(audit, { run: budget.runId, payload });
}

/** Amounts in the units of the ledger (tokens, micro US dollars, milliseconds, else pieces). */
function moveOf({ windows }: Pick<Budget, "windows">, call: string | null, amounts: Amounts): AuditPayload | null {
  const counting = windows.filter(({ meter }) => amounts[meter] !== undefined);
  if (counting.length === 0) return null;
  const counted = Object.fromEntries(counting.map(({ meter }) => [meter, amounts[meter] ?? 0]));
  const limits = [...new Set(counting.map(({ name }) => name))];
  return { kind: "budget-moved", call, amounts: counted, limits };
}
