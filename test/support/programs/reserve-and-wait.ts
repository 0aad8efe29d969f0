// Reserves one action below STATE, says so, spends it when the second argument says so, and waits to be killed.
import { budgetKey, reserve, spend } from "../../../src/budgets/budget.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { openStore } from "../../../src/store/store.ts";

const [state = "", what = ""] = process.argv.slice(2);
const budget = {
  store: openStore(state),
  clock: systemClock,
  kind: "action",
  key: budgetKey("p", "/p.yaml", "/w"),
  limit: { max: 1, perMs: 3_600_000 },
  runId: null,
} as const;
const reservation = reserve(budget);
if (reservation !== null && what === "spend") spend(budget, reservation);
process.stdout.write(reservation === null ? "none\n" : "reserved\n");
setInterval(() => null, 1_000);
