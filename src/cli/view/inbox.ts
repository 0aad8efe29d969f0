import type { InboxItem } from "../../app/inbox.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { counted, cutToWidth, formatDuration, paint } from "./style.ts";

const AGE_COLUMNS = 13;
const KIND_COLUMNS = 10;
const INDENT = " ".repeat(AGE_COLUMNS);

/** Two lines for each thing that waits: how long, what, and what to type. `columns`: of the terminal, 80 without one. `most`: the rest is counted. */
export function inboxText(
  items: readonly InboxItem[],
  { nowMs, columns = 80, most = items.length }: { nowMs: number; columns?: number | undefined; most?: number },
): string {
  if (items.length === 0) return "Nothing waits for you.\n";
  const room = Math.max(20, columns - AGE_COLUMNS - KIND_COLUMNS);
  const lines = items.slice(0, most).flatMap(({ kind, atMs, what, next }) => {
    const age = formatDuration(Math.max(0, nowMs - atMs)).padEnd(AGE_COLUMNS);
    return [
      `${paint("dim", age)}${paint(COLOURS[kind], kind.padEnd(KIND_COLUMNS))}${cutToWidth(makeVisibleLine(what), room)}`,
      `${INDENT}${makeVisibleLine(next)}`,
    ];
  });
  const more = items.length > most ? [`${INDENT}and ${items.length - most} more: warder inbox`] : [];
  return `${[`${counted(items.length, "thing")} ${items.length === 1 ? "waits" : "wait"} for you, the oldest first:`, ...lines, ...more].join("\n")}\n`;
}

const COLOURS = { question: "yellow", changes: "cyan", run: "yellow", job: "red" } as const;
