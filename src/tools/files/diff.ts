import { countLines, takeLines } from "./text-file.ts";

const CONTEXT_LINES = 3;

/**
 * A short unified hunk from the first to the last line that differs. Linear in the length of the texts, unlike a
 * minimal diff, and made of no more lines than are shown, because a model chooses both of them. At most `maxLines` lines; the rest is counted.
 */
export function describeChange(before: string, after: string, maxLines = 60): string {
  if (before === after) return "(no change)";
  const start = startOfChange(before, after);
  const kept = keptAtEnd(before, after, start);
  const [oldEnd, newEnd] = [before.length - kept, after.length - kept];
  const lead = lastLines(before, start);
  const trail = takeLines(before.slice(oldEnd), CONTEXT_LINES);
  const around = lead.length + trail.length;
  const removed = countLines(before, start, oldEnd);
  const added = countLines(after, start, newEnd);
  const from = countLines(before, 0, start) - lead.length + 1;
  const lines = [
    ...lead.map((line) => ` ${line}`),
    ...takeLines(before.slice(start, oldEnd), maxLines).map((line) => `-${line}`),
    ...takeLines(after.slice(start, newEnd), maxLines).map((line) => `+${line}`),
    ...trail.map((line) => ` ${line}`),
  ].map((line) => line.replace(/\r?\n$/u, ""));
  const header = `@@ -${from},${around + removed} +${from},${around + added} @@`;
  const all = around + removed + added;
  return [header, ...lines.slice(0, maxLines), ...(all > maxLines ? [`[${all - maxLines} more lines]`] : [])].join("\n");
}

/** Where the first line begins that differs. */
function startOfChange(before: string, after: string): number {
  const shorter = Math.min(before.length, after.length);
  let same = 0;
  while (same < shorter && before.charCodeAt(same) === after.charCodeAt(same)) same += 1;
  return same === 0 ? 0 : before.lastIndexOf("\n", same - 1) + 1;
}

/** How many characters from the end on are whole lines that both have; none of what lies before `start`. */
function keptAtEnd(before: string, after: string, start: number): number {
  const most = Math.min(before.length, after.length) - start;
  let same = 0;
  while (same < most && before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same)) same += 1;
  const beginsLine = (text: string): boolean => same === text.length || text.charAt(text.length - same - 1) === "\n";
  if (beginsLine(before) && beginsLine(after)) return same;
  const feed = before.indexOf("\n", before.length - same);
  return feed < 0 ? 0 : before.length - feed - 1;
}

/** The last lines before a place at which a line begins. */
function lastLines(text: string, end: number): readonly string[] {
  let from = end;
  for (let line = 0; line < CONTEXT_LINES && from > 0; line += 1) from = from < 2 ? 0 : text.lastIndexOf("\n", from - 2) + 1;
  return takeLines(text.slice(from, end), CONTEXT_LINES);
}
