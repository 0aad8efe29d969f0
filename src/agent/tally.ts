import type { Usage } from "../providers/contract/provider.ts";
import { type Ending, spentLimit } from "./endings.ts";
import type { RunLimits } from "./run-end.ts";
import { addUsage, NO_USAGE } from "./usage.ts";

/** What a run took with all its sub-agents. What a sub-agent takes counts for each run above it, and so do their limits for it. */
export type Tally = {
  readonly take: (taken: { readonly turns?: number; readonly usage?: Usage }) => void;
  /** The first limit, of the run or of one above it, that leaves no further turn. */
  readonly limit: () => Ending | null;
  readonly total: () => { readonly turns: number; readonly usage: Usage };
};

/** `before`: what was taken before the run was suspended, which the runs above know of. */
export function createTally(limits: RunLimits, above: Tally | null, before: { readonly turns: number; readonly usage: Usage }): Tally {
  let { turns, usage } = before;
  return {
    take: (taken) => {
      turns += taken.turns ?? 0;
      usage = addUsage(usage, taken.usage ?? NO_USAGE);
      above?.take(taken);
    },
    limit: () => spentLimit({ turns, usage }, limits) ?? above?.limit() ?? null,
    total: () => ({ turns, usage }),
  };
}
