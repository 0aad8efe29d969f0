import { join } from "node:path";
import { appendAudit } from "../audit/audit-log.ts";
import { tailAudit } from "../audit/audit-tail.ts";
import { personAtTerminal } from "../approvals/terminal.ts";
import { AgentError } from "../base/errors.ts";
import type { ApplyReport, Change } from "../sandbox/runtime.ts";
import { openChanges, type ClosedReview } from "../sandbox/workspace/review.ts";
import { openRecords, type Records } from "./records.ts";
import { readSurroundings } from "./surroundings.ts";
import { judgeWrites } from "./write-judge.ts";

/** The changes of a run that has ended. */
export type RunReview = {
  list(): readonly Change[];
  diff(maxBytes: number): Promise<string>;
  /** Judges every path again under the run's policy as it is now, applies what it does not deny, and records it. */
  apply(): Promise<ApplyReport>;
  /** Returns how many changes were thrown away. */
  discard(): Promise<number>;
  close(): Promise<void>;
};

/** Throws `usage` when there is no such run, it left nothing, or it is still going. */
export async function openReview(runId: string): Promise<RunReview> {
  const records = openRecords();
  try {
    const row = records.store.runs.byId(runId);
    if (row === null) throw new AgentError("usage", `There is no run ${runId}. See: warder runs`);
    const review = await openChanges(join(records.store.paths.runs, runId));
    if (review === null)
      throw new AgentError("usage", `${runId} left no changes: it made none, they were landed or discarded, or its workspace was not transactional.`);
    return reviewOf(review, { records, runId, workspace: row.workspace });
  } catch (error) {
    records.store.close();
    throw error;
  }
}

type Place = { readonly records: Records; readonly runId: string; readonly workspace: string };

function reviewOf(review: ClosedReview, place: Place): RunReview {
  const { audit, store } = place.records;
  const by = personAtTerminal();
  return {
    list: () => review.list(),
    diff: (maxBytes) => review.diff(maxBytes),
    apply: async () => {
      const report = await review.apply(judgeWrites(readSurroundings(policyFileOf(place), place.workspace)));
      const name = (change: Change): string => `${change.kind} ${change.path}`.toWellFormed();
      const refused = report.refused.map(({ change, reason }) => ({ change: name(change), reason }));
      appendAudit(audit, { run: place.runId, payload: { kind: "changes-applied", applied: report.applied.map(name), refused, by } });
      return report;
    },
    discard: async () => {
      const count = review.list().length;
      await review.discard();
      appendAudit(audit, { run: place.runId, payload: { kind: "changes-discarded", count, by } });
      return count;
    },
    close: async () => {
      try {
        await review.close();
      } finally {
        store.close();
      }
    },
  };
}

/** The policy file that the run was started with, as the log has it. */
function policyFileOf({ records, runId }: Place): string {
  const [loaded] = tailAudit(records.audit, { run: runId, kind: "policy-loaded", limit: 1 });
  const files = loaded?.payload["files"];
  const file: unknown = Array.isArray(files) ? files[0] : undefined;
  if (typeof file !== "string")
    throw new AgentError("audit-unavailable", `The log does not say which policy ${runId} ran under, so nothing can be landed. See: warder audit verify`);
  return file;
}
