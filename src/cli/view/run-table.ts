import Table from "cli-table3";
import { makeVisibleLine } from "../../base/text.ts";
import { cutToWidth } from "./style.ts";
import type { RunRow } from "../../store/rows/runs.ts";

/** How much of a task is shown: it may have thousands of characters. */
const TASK_CHARACTERS = 160;
const LEAST_TASK_COLUMNS = 24;
/** Of what is no terminal. */
const COLUMNS = 120;

export type ShownRun = Pick<RunRow, "id" | "startedAtMs" | "policyName" | "workspace" | "task"> & { readonly state: string };

/** As wide as the terminal, as far as the task can be narrower; of a long task the beginning. Too narrow a terminal gets two lines for each run. `columns`: of the terminal. */
export function runTable(rows: readonly ShownRun[], columns: number = COLUMNS): string {
  const head = ["run", "started (UTC)", "state", "policy", "workspace", "task"];
  const lines = rows.map((row) => {
    const task = row.task === null || row.task.length <= TASK_CHARACTERS ? (row.task ?? "") : `${row.task.slice(0, TASK_CHARACTERS).toWellFormed()}…`;
    return [row.id, new Date(row.startedAtMs).toISOString().slice(0, 19), row.state, row.policyName, row.workspace, task].map(makeVisibleLine);
  });
  // A cell has a border and a space on either side.
  const widths = head.map((title, column) => 2 + Math.max(title.length, ...lines.map((cells) => cells[column]?.length ?? 0)));
  const others = widths.slice(0, -1).reduce((sum, width) => sum + width + 1, 2);
  if (others + LEAST_TASK_COLUMNS > columns) return lines.map((cells) => inTwoLines(cells, columns)).join("\n");
  const room = columns - others;
  const table = new Table({
    head,
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [...widths.slice(0, -1), Math.min(widths.at(-1) ?? room, room)],
  });
  table.push(...lines);
  return table.toString();
}

function inTwoLines(cells: readonly string[], columns: number): string {
  const [id = "", started = "", state = "", policy = "", workspace = "", task = ""] = cells;
  return [`${id}  ${started}  ${state}  ${policy}`, `  ${task}${task === "" ? "" : "  "}${workspace}`].map((line) => cutToWidth(line, columns)).join("\n");
}
