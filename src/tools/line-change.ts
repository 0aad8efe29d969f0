import { splitLines } from "./text-file.ts";

const CONTEXT_LINES = 3;

/**
 * A short unified hunk from the first to the last line that differs. Linear in the length of the texts, unlike a
 * minimal diff, because a model chooses both of them. At most `maxLines` lines; the rest is counted.
 */
export function describeChange(before: string, after: string, maxLines = 60): string {
  if (before === after) return "(no change)";
  const old = splitLines(before);
  const fresh = splitLines(after);
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  const from = Math.max(0, start - CONTEXT_LINES);
  const until = Math.max(0, end - CONTEXT_LINES);
  const lines = [
    ...old.slice(from, start).map((line) => ` ${line}`),
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...fresh.slice(start, fresh.length - end).map((line) => `+${line}`),
    ...old.slice(old.length - end, old.length - until).map((line) => ` ${line}`),
  ].map((line) => line.replace(/\r?\n$/u, ""));
  const header = `@@ -${from + 1},${old.length - until - from} +${from + 1},${fresh.length - until - from} @@`;
  const shown = lines.length > maxLines ? [...lines.slice(0, maxLines), `[${lines.length - maxLines} more lines]`] : lines;
  return [header, ...shown].join("\n");
}
