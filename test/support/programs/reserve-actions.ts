// Tries to reserve TRIES times against a limit of MAX below STATE, and prints how often it was let.
import { budgetKey, release, reserve, spend } from "../../../src/budgets/budget.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { openStore } from "../../../src/store/store.ts";

const [state = "", tries = "0", max = "0", releaseEvery = "0"] = process.argv.slice(2);
const budget = {
  store: openStore(state),
  clock: systemClock,
  kind: "action",
  key: budgetKey("p", "/p.yaml", "/w"),
  limit: { max: Number(max), perMs: 3_600_000 },
  runId: null,
} as const;
let spent = 0;
for (let index = 1; index <= Number(tries); index += 1) {
  const reservation = reserve(budget);
  if (reservation === null) continue;
  if (Number(releaseEvery) > 0 && index % Number(releaseEvery) === 0) {
    release(budget, reservation);
  } else {
    spend(budget, reservation);
    spent += 1;
  }
}
process.stdout.write(`${spent}\n`);
