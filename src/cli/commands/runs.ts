import { suspensionOf } from "../../app/run/resume.ts";
import { withRecords } from "../../app/records/records.ts";
import { visibleJson } from "../../base/text.ts";
import { readStop } from "../../gate/stop-switch.ts";
import { isOwnerDead } from "../../store/lock/process-owner.ts";
import type { RunRow } from "../../store/rows/runs.ts";
import { EXIT } from "../process/exit-code.ts";
import { runTable } from "../view/run-table.ts";
import { stopLines } from "../view/stop-switch.ts";

/** `warder runs`: the newest first. */
export function runs(options: { json?: boolean }): number {
  return withRecords(({ store }) => {
    const stop = readStop(store);
    const isHeld = (id: string): boolean => stop.scopes.includes("all") || stop.scopes.includes(`run:${id}`);
    const rows = store.runs.list(100).map((row) => ({ ...row, state: stateOf(row), resumable: suspensionOf(row) !== null && !isHeld(row.id) }));
    if (options.json === true) {
      process.stdout.write(`${visibleJson({ runs: rows, stop })}\n`);
      return EXIT.done;
    }
    process.stdout.write(stopLines(stop).join(""));
    if (rows.length === 0) {
      process.stdout.write("No runs yet.\n");
      return EXIT.done;
    }
    process.stdout.write(`${runTable(rows, process.stdout.columns)}\n`);
    const open = rows.filter((row) => !isHeld(row.id)).filter((row) => row.state === "parked" || row.state === "killed");
    for (const { id, state, parkedOn } of open)
      process.stdout.write(
        state === "killed"
          ? `${id} was killed. Go on: warder run --resume ${id}\n`
          : `${id} waits for ${parkedOn ?? "an answer"}: warder approvals show ${parkedOn ?? ""}\n`,
      );
    return EXIT.done;
  });
}

/** `running`, `parked`, `killed` (its process is gone), or how it ended. */
function stateOf(row: RunRow): string {
  if (row.endedAtMs !== null) return row.ending ?? "ended";
  if (row.parkedAtMs !== null) return "parked";
  return isOwnerDead(row.owner) ? "killed" : "running";
}
