import type { RunStep } from "../../agent/journal.ts";
import { addUsage, NO_USAGE } from "../../agent/usage.ts";
import type { Usage } from "../../providers/contract/provider.ts";
import type { RunRow } from "../../store/rows/runs.ts";
import type { Store } from "../../store/store.ts";

/** A sub-agent of a run, or of one of its sub-agents: `depth` is 1 for its own. */
export type Descendant = { readonly row: RunRow; readonly depth: number };

/** All sub-agents below a run, each behind the one that it is of, in the order they were started. */
export function descendantsOf(store: Store, runId: string, depth = 1): readonly Descendant[] {
  return store.runs.children(runId).flatMap((row) => [{ row, depth }, ...descendantsOf(store, row.id, depth + 1)]);
}

/** The run that a sub-agent is of, through all between them. */
export function rootOf(store: Store, row: RunRow): RunRow {
  const parent = row.parent === null ? null : store.runs.byId(row.parent);
  return parent === null ? row : rootOf(store, parent);
}

/** What steps took: turns, and tokens with those of summaries. */
export function takenBy(steps: readonly RunStep[]): { readonly turns: number; readonly usage: Usage } {
  const usage = steps.reduce((sum, step) => (step.kind === "result" ? sum : addUsage(sum, step.usage ?? NO_USAGE)), NO_USAGE);
  return { turns: steps.filter(({ kind }) => kind === "message").length, usage };
}
