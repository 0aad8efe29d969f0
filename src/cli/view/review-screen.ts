import { stripVTControlCharacters } from "node:util";
import { ownRows, wrapped } from "../../approvals/card-rows.ts";
import type { FlaggedChange } from "../../landing/review/review.ts";
import { changeLines, PLAIN_LINE, summaryLine } from "./changes.ts";
import { paint } from "./style.ts";

const FLAG = /^ *! /u;
const INDENT = "         ";

/** All changes of a run in rows of at most `columns`, those first that want a look. */
export function reviewRows(all: readonly FlaggedChange[], columns: number): readonly string[] {
  return [...headRows(all, columns), ...flaggedRows(all, columns), ...plainRows(all, columns)];
}

/** The same on a screen of `rows`. `isWhole`: every change that wants a look is on it. */
export function reviewScreen(
  all: readonly FlaggedChange[],
  { columns, rows }: { readonly columns: number; readonly rows: number },
): { readonly rows: readonly string[]; readonly isWhole: boolean } {
  const head = headRows(all, columns);
  const flagged = flaggedRows(all, columns);
  const changes = [...flagged, ...plainRows(all, columns)];
  const room = Math.max(1, rows - head.length);
  if (changes.length <= room) return { rows: [...head, ...changes], isWhole: true };
  const shown = changes.slice(0, room - 1);
  const more = changes.length - shown.length;
  return { rows: [...head, ...shown, `... ${more} more ${more === 1 ? "row" : "rows"}: [v]iew`], isWhole: shown.length >= flagged.length };
}

function headRows(all: readonly FlaggedChange[], columns: number): readonly string[] {
  return ownRows(`To review: ${stripVTControlCharacters(summaryLine(all)).trimEnd()}`, columns);
}

function flaggedRows(all: readonly FlaggedChange[], columns: number): readonly string[] {
  return rowsOf(changeLines(all.filter(({ flags }) => flags.length > 0)), columns);
}

function plainRows(all: readonly FlaggedChange[], columns: number): readonly string[] {
  const plain = all.filter(({ flags }) => flags.length === 0);
  return rowsOf((plain.length === 0 || plain.length === all.length ? "" : PLAIN_LINE) + changeLines(plain), columns);
}

/** A line that fits has one row. What goes on in a further row is indented: a long name cannot pass for another change. */
function rowsOf(text: string, columns: number): readonly string[] {
  const lines = stripVTControlCharacters(text).split("\n").slice(0, -1);
  return lines.flatMap((line) => {
    const whole = wrapped(line, columns);
    // Why something is flagged is a sentence, and broken between words.
    const isFlag = FLAG.test(line);
    const [first = "", ...more] = whole.length === 1 ? whole : (isFlag ? ownRows : wrapped)(line, columns - INDENT.length);
    const rows = [first, ...more.map((row) => INDENT + row)];
    return isFlag ? rows.map((row) => paint(["bold", "red"], row)) : rows;
  });
}
