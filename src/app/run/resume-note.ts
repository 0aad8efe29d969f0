import { systemClock } from "../../base/clock.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { changedSince } from "../../gate/facts/workspace-digest.ts";
import type { RunRow } from "../../store/rows/runs.ts";
import type { WorkspaceContext } from "../setup/context.ts";
import type { Suspension } from "../records/suspension.ts";
import { profileOf } from "../setup/profile.ts";

/** How a run stopped: of these one that was over goes on with a further task alone. */
export type Stop = Suspension | "over";

const WORDS: Readonly<Record<Stop, string>> = {
  over: "was over",
  parked: "was suspended to wait for a person",
  killed: "ended in the middle without a word (its process was killed, or the machine went down)",
  cancelled: "was interrupted",
  failed: "ended with a fault",
  budget: "stopped because a budget was spent",
  rewound: "was taken back to this point by a person: what came behind it is gone, from the workspace too where that is kept apart",
  forked: "is another run's beginning: a person began a run of its own from this point",
};

/** What a model is told when its run goes on: how it stopped, since when, and what others changed meanwhile. */
export function noteOf({ row, was, context }: { readonly row: RunRow; readonly was: Stop; readonly context: WorkspaceContext }, sinceMs: number): string {
  const changed = changedSince(profileOf(context.policy, { ...context, environment: {} }), sinceMs);
  const lines = [
    `[warder] This run ${WORDS[was]} after ${new Date(sinceMs).toISOString()} and goes on now, ${new Date(systemClock.nowMs()).toISOString()}. Everything is measured anew; do not rely on what you remember of the state.`,
  ];
  if (context.policy.digest !== row.policyDigest) lines.push("The policy was changed meanwhile, and a person agreed that you go on under it.");
  if (changed.length > 0) lines.push(`Files that others changed meanwhile: ${changed.map((path) => JSON.stringify(makeVisibleLine(path))).join(", ")}`);
  return lines.join("\n");
}
