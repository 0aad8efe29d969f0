// Reserves one of METER below STATE, says so, spends it when the third argument says so, and waits to be killed.
import { reserve, spend } from "../../../src/budgets/budget.ts";
import { countingBudget } from "../counting-budget.ts";

const [state = "", meter = "", what = ""] = process.argv.slice(2);
const budget = countingBudget(state, 1);
const reservation = reserve(budget, { [meter]: 1 });
if (reservation.kind === "reserved" && what === "spend") spend(budget, reservation);
process.stdout.write(`${reservation.kind}\n`);
setInterval(() => null, 1_000);
