import { AgentError } from "../../base/errors.ts";
import { isOwnerAlive } from "../../sandbox/owner.ts";
import { owedFrom, readRecord } from "../../sandbox/workspace/record.ts";
import { type Review, type ReviewOptions, reviewOf } from "./review.ts";

/**
 * The changes of a run that is going on, as they are at this moment: to be looked at, and never to land, because they are not at rest. Null when it is
 * not going, or keeps none apart. Throws `usage` where they lie on an engine elsewhere.
 */
export function peekChanges(runDirectory: string, options: ReviewOptions): Pick<Review, "list" | "flagged" | "diff" | "record"> | null {
  const record = readRecord(runDirectory);
  if (record?.state !== "open" || !isOwnerAlive(record.owner)) return null;
  if (owedFrom(record) !== null)
    throw new AgentError("usage", `${record.runId} is still going, and its changes lie on an engine elsewhere: they can be reviewed when it has ended.`);
  return reviewOf(runDirectory, record, options);
}
