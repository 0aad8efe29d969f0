import { isOwnerDead } from "../../store/lock/process-owner.ts";
import type { RunRow } from "../../store/rows/runs.ts";

/** How a run stopped that can go on. */
export type Suspension = "parked" | "killed" | (typeof UNFINISHED)[number];

/** Endings after which a run has something left to do. */
const UNFINISHED = ["cancelled", "failed", "budget", "rewound", "forked"] as const;

/** How a run stopped, or null: it goes on now, or is over for good. */
export function suspensionOf(row: RunRow): Suspension | null {
  if (row.task === null) return null;
  if (row.endedAtMs !== null) return isUnfinished(row.ending) ? row.ending : null;
  if (row.parkedAtMs !== null) return "parked";
  return isOwnerDead(row.owner) ? "killed" : null;
}

function isUnfinished(ending: string | null): ending is (typeof UNFINISHED)[number] {
  return UNFINISHED.some((each) => each === ending);
}
