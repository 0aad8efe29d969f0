// Full figures of the budgets, for docs/measurements/budgets.md: npm run bench -- budgets [RESERVATIONS] [KILL-ROUNDS]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killSpenders } from "../../test/support/budget-kills.ts";
import { countingBudget } from "../../test/support/counting-budget.ts";
import { runProgram } from "../../test/support/program.ts";

const PROCESSES = 8;
const reservations = Number(process.argv[2] ?? "10000");
const rounds = Number(process.argv[3] ?? "250");
const root = mkdtempSync(join(tmpdir(), "warder-budgets-"));
try {
  const state = join(root, "state");
  const budget = countingBudget(state, reservations);
  // A fifth more is tried than there is, so that the limit is reached while all of them want it.
  const tries = String(Math.ceil((reservations * 1.2) / PROCESSES));
  const startedMs = performance.now();
  const spent = await Promise.all(Array.from({ length: PROCESSES }, () => runProgram("reserve-actions", state, tries, String(reservations))));
  const seconds = (performance.now() - startedMs) / 1_000;
  const granted = spent.reduce((sum, text) => sum + Number(text), 0);
  const counted = budget.store.ledger.sum("shared", "actions", null);
  budget.store.close();
  const kills = await killSpenders(join(root, "kills"), rounds);
  process.stdout.write(`${JSON.stringify({ processes: PROCESSES, limit: reservations, granted, counted, seconds: Number(seconds.toFixed(1)), kills })}\n`);
  if (granted !== reservations || counted !== reservations || kills.faults.length > 0) process.exitCode = 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}
