import Table from "cli-table3";
import { withRecords } from "../../app/records.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { EXIT } from "../exit-code.ts";

/** `warder runs`: the newest first. */
export function runs(options: { json?: boolean }): number {
  return withRecords(({ store }) => {
    const rows = store.runs.list(100);
    if (options.json === true) {
      process.stdout.write(`${JSON.stringify({ runs: rows })}\n`);
      return EXIT.done;
    }
    if (rows.length === 0) {
      process.stdout.write("No runs yet.\n");
      return EXIT.done;
    }
    const table = new Table({ head: ["run", "started", "ended as", "policy", "workspace", "task"], style: { head: [], border: [] }, wordWrap: true });
    for (const row of rows) {
      const cells = [
        row.id,
        new Date(row.startedAtMs).toISOString().slice(0, 19),
        row.ending ?? "running or killed",
        row.policyName,
        row.workspace,
        row.task ?? "",
      ];
      table.push(cells.map(makeVisibleLine));
    }
    process.stdout.write(`${table.toString()}\n`);
    return EXIT.done;
  });
}
