// Tries to reserve TRIES times against a limit of MAX below STATE, gives every RELEASE-EVERYth back, and prints how often it spent.
import { release, reserve, spend } from "../../../src/budgets/budget.ts";
import { countingBudget } from "../counting-budget.ts";

const [state = "", tries = "0", max = "0", releaseEvery = "0"] = process.argv.slice(2);
const budget = countingBudget(state, Number(max));
let spent = 0;
for (let index = 1; index <= Number(tries); index += 1) {
  const reservation = reserve(budget, { actions: 1 });
  if (reservation.kind === "spent") continue;
  if (Number(releaseEvery) > 0 && index % Number(releaseEvery) === 0) {
    release(budget, reservation);
  } else {
    spend(budget, reservation);
    spent += 1;
  }
}
process.stdout.write(`${spent}\n`);
