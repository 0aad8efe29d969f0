import { join } from "node:path";
import { ownAccount } from "../../approvals/terminal/account.ts";
import { appendAudit } from "../../audit/log/log.ts";
import { AgentError } from "../../base/errors.ts";
import { openUndo, type UndoReport } from "../../landing/undo/undo.ts";
import { settleOpenRewind } from "../records/open-rewind.ts";
import { openRecords } from "../records/records.ts";
import { runtimeNamed } from "../setup/runtimes.ts";
import { nameOf, relativePath, rowOf } from "./changes.ts";

export type UndoneReport = UndoReport;

/**
 * Takes the last landing or discard of a run back, or a part of a landing, and records it before and after. No policy judges what was there before: a person
 * had it so. Throws `usage` when there is nothing to take back, or the run is still going.
 */
export async function undoLast(runId: string, paths: readonly string[]): Promise<UndoneReport> {
  const records = openRecords();
  const { store, audit } = records;
  try {
    rowOf(records, runId);
    await settleOpenRewind(records, runId);
    const open = { endSandboxes: async () => (await runtimeNamed("docker")).reap(store.paths.directory) };
    const last = await openUndo(join(store.paths.runs, runId), open);
    if (last === null)
      throw new AgentError("usage", `There is nothing of ${runId} to take back: nothing landed in the last week, and nothing was discarded in the last day.`);
    try {
      if (last.what === "discard" && paths.length > 0) throw new AgentError("usage", "A discard is taken back as a whole: name no paths.");
      const by = ownAccount();
      const named = paths.map((path) => relativePath(path, last.record.workspace));
      appendAudit(audit, { run: runId, payload: { kind: "changes-undoing", paths: named.map((path) => path.toWellFormed()), by } });
      const report = await last.undo(named);
      const refused = report.refused.map(({ change, reason }) => ({ change: nameOf(change), reason }));
      appendAudit(audit, { run: runId, payload: { kind: "changes-undone", what: report.what, undone: report.applied.map(nameOf), refused, by } });
      return report;
    } finally {
      await last.close();
    }
  } finally {
    store.close();
  }
}
