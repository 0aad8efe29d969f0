// Reserves, spends and then works (a byte into FILE) below STATE, again and again until it is killed. Every third is given back.
import { appendFileSync } from "node:fs";
import { release, reserve, spend } from "../../../src/budgets/budget.ts";
import { countingBudget } from "../counting-budget.ts";

const [state = "", file = ""] = process.argv.slice(2);
const budget = countingBudget(state, 1_000_000);
process.stdout.write("ready\n");
for (let index = 1; ; index += 1) {
  const reservation = reserve(budget, { actions: 1, cost: 10 });
  if (reservation.kind === "spent") break;
  if (index % 3 === 0) {
    release(budget, reservation);
    continue;
  }
  spend(budget, reservation);
  appendFileSync(file, ".");
}
