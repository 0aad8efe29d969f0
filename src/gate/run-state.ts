import { type Counted, ruleOf } from "../budgets/budget.ts";
import { windowStates } from "../budgets/window-state.ts";
import type { RunState } from "../tools/contract/run-handles.ts";
import type { RuledCall } from "./ruling/ruled-call.ts";

/** What a run may know of itself. Nothing of the policy but its name and autonomy, nothing of the machine but the workspace. */
export function runState({ gate: { parts, bench, budget } }: RuledCall): RunState {
  const { policy, setting, store, runId } = parts;
  // What binds a run beside its policy may leave it less than that says.
  const looksAlone = [policy, ...(bench.narrowing?.() ?? [])].some(({ autonomy }) => autonomy === "read-only");
  return {
    model: store.runs.byId(runId)?.model ?? null,
    policy: policy.name,
    autonomy: looksAlone ? "read-only" : policy.autonomy,
    workspace: setting.workspace,
    turn: store.steps.turns(runId),
    limits: windowStates(budget).map(({ window: { name, meter, max, perMs }, left }) => ({
      limit: name,
      left: inUnits(meter, left),
      of: inUnits(meter, max),
      unit: meter === "cost" ? "US dollars" : ruleOf(meter) === null ? meter : "uses",
      ...(perMs === null ? {} : { in_hours: perMs / 3_600_000 }),
    })),
  };
}

function inUnits(meter: Counted, amount: number): number {
  return meter === "cost" ? amount / 1_000_000 : meter === "minutes" ? amount / 60_000 : amount;
}
