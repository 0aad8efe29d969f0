import { appendAudit, type AuditLog } from "../audit/log/log.ts";
import type { Amounts, Budget } from "../budgets/budget.ts";

/**
 * Records what was just spent of the limits that count it: amounts in the units of the ledger (tokens, micro US dollars, milliseconds, else pieces). Nothing
 * where no limit does. Not within a transaction: the log has its own.
 */
export function recordMove(audit: AuditLog, { windows, runId }: Pick<Budget, "windows" | "runId">, call: string | null, amounts: Amounts): void {
  const counting = windows.filter(({ meter }) => amounts[meter] !== undefined);
  if (counting.length === 0) return;
  const counted = Object.fromEntries(counting.map(({ meter }) => [meter, amounts[meter] ?? 0]));
  const limits = [...new Set(counting.map(({ name }) => name))];
  appendAudit(audit, { run: runId, payload: { kind: "budget-moved", call, amounts: counted, limits } });
}
