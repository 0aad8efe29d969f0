import { commandOf, readInbox } from "../../app/inbox.ts";
import { withRecords } from "../../app/records/records.ts";
import { suspensionOf } from "../../app/records/suspension.ts";
import type { RunStory } from "../../app/story/story.ts";
import { systemClock } from "../../base/clock.ts";
import { visibleJson } from "../../base/text.ts";
import { readStop } from "../../gate/stop-switch.ts";
import { isOwnerDead } from "../../store/lock/process-owner.ts";
import type { RunRow } from "../../store/rows/runs.ts";
import { EXIT } from "../process/exit-code.ts";
import { writePaced } from "../process/paced-write.ts";
import { inboxText } from "../view/inbox.ts";
import { runTable } from "../view/run-table.ts";
import { stopLines } from "../view/stop-switch.ts";

/** Of what waits: with the newest runs below it, it is to fit a screen. */
const MOST_WAITING = 5;

/** Of what is no terminal. */
const PLAIN_COLUMNS = 80;

/** Of a run's changes in an export. */
const MAX_EXPORT_DIFF_BYTES = 1024 * 1024;

/** Of the runs: as few as that on a low terminal. */
const LEAST_RUNS = 3;

/** `warder runs`: what waits for a person, and the runs, the newest first. On a terminal as many as fit its height; `all`: whatever it is. */
export function runs(options: { json?: boolean; all?: boolean }): number {
  return withRecords((records) => {
    const { store } = records;
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
    const { columns } = process.stdout;
    const waiting = readInbox(records);
    const inbox = waiting.length === 0 ? "" : `${inboxText(waiting, { nowMs: systemClock.nowMs(), columns, most: MOST_WAITING })}\n`;
    const shown = options.all === true || !process.stdout.isTTY ? rows : rows.slice(0, fitting(process.stdout.rows - inbox.split("\n").length));
    const more = rows.length - shown.length;
    const told = shown.map((row) => ({ ...row, task: row.task ?? commandOf(records, row.id) }));
    process.stdout.write(`${inbox}${runTable(told, columns)}\n${more === 0 ? "" : `and ${more} older: warder runs --all\n`}`);
    return EXIT.done;
  });
}

/** How many runs fit so many lines: two for each, and what frames them. */
function fitting(lines: number): number {
  return Math.max(LEAST_RUNS, Math.floor((lines - 4) / 2));
}

/** `running`, `parked`, `killed` (its process is gone), or how it ended. */
export function stateOf(row: RunRow): string {
  if (row.endedAtMs !== null) return row.ending ?? "ended";
  if (row.parkedAtMs !== null) return "parked";
  return isOwnerDead(row.owner) ? "killed" : "running";
}

/** What reads a run's changes is loaded where a run is told, and not for the list. */
async function storyOf(run: string, maxDiffBytes: number | null): Promise<RunStory> {
  return await (await import("../../app/story/story.ts")).readStory(run, maxDiffBytes);
}

/** `warder runs show RUN`: what it did, turn by turn, and what was decided of it. */
export async function showRun(run: string, options: { json?: boolean }): Promise<number> {
  const story = await storyOf(run, null);
  const { storyText } = await import("../view/story/terminal.ts");
  await writePaced(process.stdout, options.json === true ? `${visibleJson(story)}\n` : storyText(story, process.stdout.columns ?? PLAIN_COLUMNS));
  return EXIT.done;
}

/** `warder runs rewind RUN --to TURN`. */
export async function rewind(run: string, options: { to: number; json?: boolean }): Promise<number> {
  const { rewindRun } = await import("../../app/turns/rewind.ts");
  const rewound = await rewindRun(run, options.to);
  const { from, to, workspace } = rewound;
  const place = workspace === "as-then" ? "its workspace is as it was then" : "its workspace, which no run keeps apart, stays as it is";
  const text = `${run} went back from turn ${String(from)} to turn ${String(to)}; ${place}.\nGo on with its task: warder run --resume ${run}\nOr ask for something else: warder run --continue ${run} TASK\n`;
  process.stdout.write(options.json === true ? `${visibleJson(rewound)}\n` : text);
  return EXIT.done;
}

/** `warder runs export RUN`: the same whole, with the diff, as one file on standard output. */
export async function exportRun(run: string, options: { format: "md" | "html" }): Promise<number> {
  const story = await storyOf(run, MAX_EXPORT_DIFF_BYTES);
  const text =
    options.format === "html" ? (await import("../view/story/html.ts")).storyHtml(story) : (await import("../view/story/markdown.ts")).storyMarkdown(story);
  await writePaced(process.stdout, text);
  return EXIT.done;
}
