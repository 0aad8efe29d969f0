import { appendAudit, type AuditLog } from "../audit/log/log.ts";
import type { AuditPayload } from "../audit/entries/entry.ts";
import { reserve, spend, type Amounts, type Budget, type BudgetWindow } from "../budgets/budget.ts";

/** What was taken, as it is recorded (null where no limit counts it); or the limit that had too little left, and nothing was taken. */
export type Taken = { readonly move: AuditPayload | null } | { readonly full: BudgetWindow };

/** Takes the amounts for a call and says that they are spent. Within the transaction that records it. */
export function take(budget: Budget, call: string, amounts: Amounts): Taken {
  const reservation = reserve(budget, amounts);
  if (reservation.kind === "spent") return { full: reservation.window };
  spend(budget, reservation);
  return { move: moveOf(budget, call, amounts) };
}

/** Why a limit that is used up lets nothing run. */
export function spentText({ meter, name }: BudgetWindow): string {
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
