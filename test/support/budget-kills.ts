import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { left } from "../../src/budgets/budget.ts";
import { countingBudget } from "./counting-budget.ts";
import { startProgram } from "./program.ts";
import { once } from "./until.ts";

const MAX = 1_000_000;

export type KillReport = {
  readonly kills: number;
  /** What was done, and what counts for it: an action that died between the two counts and was not done. */
  readonly done: number;
  readonly counted: number;
  /** Each entry is a fault. */
  readonly faults: readonly string[];
};

/** Kills processes that spend a budget below `root`, each at a moment that nobody chose, and looks at what they left. `rounds` times `parallel` kills. */
export async function killSpenders(root: string, rounds: number, parallel = 2): Promise<KillReport> {
  const state = join(root, "state");
  const file = join(root, "done");
  mkdirSync(root, { recursive: true });
  const budget = countingBudget(state, MAX);
  const faults: string[] = [];
  const look = (): { readonly done: number; readonly counted: number } => {
    const counted = MAX - (left(budget, "actions") ?? 0);
    return { done: existsSync(file) ? readFileSync(file).length : 0, counted };
  };
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const spenders = Array.from({ length: parallel }, () => startProgram("spend-until-killed", state, file));
      await Promise.all(spenders.map((spender) => once(spender.stdout, "data")));
      await setTimeout(Math.random() * 40);
      const closed = spenders.map((spender) => once(spender, "close"));
      for (const spender of spenders) spender.kill("SIGKILL");
      await Promise.all(closed);
      const { done, counted } = look();
      if (done > counted) faults.push(`round ${round}: ${done} were done and ${counted} count`);
      if (counted > done + round * parallel) faults.push(`round ${round}: ${counted} count, ${done} were done, and only ${round * parallel} processes died`);
      if (budget.store.ledger.open("shared", "actions").length > 0) faults.push(`round ${round}: something is still reserved by a dead process`);
      if (budget.store.ledger.sum("shared", "cost", null) < counted * 10) faults.push(`round ${round}: cost was forgotten`);
    }
    return { kills: rounds * parallel, ...look(), faults };
  } finally {
    budget.store.close();
  }
}
