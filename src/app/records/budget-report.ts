import { systemClock } from "../../base/clock.ts";
import { budgetOf, type BudgetPlace } from "../../budgets/accounts.ts";
import { windowStates, type WindowState } from "../../budgets/window-state.ts";
import type { Records } from "./records.ts";
import type { WorkspaceContext } from "../setup/context.ts";

/** The limits of one thing: a policy in a workspace, a job, or a run that is not over. */
export type BudgetSection = { readonly of: string; readonly windows: readonly WindowState[] };

/** So many of the newest runs are looked at. */
const RUNS = 100;

/** How the limits of a policy stand in a workspace: its own, those of its jobs, and those of its runs that go on or wait. */
export function budgetReport({ store }: Records, { policy, workspace }: WorkspaceContext): readonly BudgetSection[] {
  const parts = { store, clock: systemClock };
  const statesFor = (place: BudgetPlace) => windowStates(budgetOf(policy, place, parts));
  const own = statesFor({ workspace, runId: null, job: null });
  const onlyNew = (states: readonly WindowState[]) => states.filter(({ window }) => !own.some((known) => known.window.account === window.account));
  const isOurs = (row: { readonly workspace: string; readonly policyDigest: string }) => row.workspace === workspace && row.policyDigest === policy.digest;
  const jobs = store.schedule.jobs().filter(isOurs);
  const runs = store.runs.list(RUNS).filter((run) => run.endedAtMs === null && isOurs(run));
  return [
    { of: `policy ${policy.name} in ${workspace}`, windows: own },
    ...jobs.map(({ name }) => ({ of: `job ${name}`, windows: onlyNew(statesFor({ workspace, runId: null, job: name })) })),
    ...runs.map(({ id }) => ({ of: id, windows: onlyNew(statesFor({ workspace, runId: id, job: null })) })),
  ].filter(({ windows }, index) => index === 0 || windows.length > 0);
}
