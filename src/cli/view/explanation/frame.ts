import { cellsOf, type Cell } from "./cell-width.ts";

/** So many cells of a line are shown around the words that are meant. */
const MAX_CELLS = 120;
const CELLS_BEFORE = 30;
/** Of a line that is longer than a person reads only so many characters around the words are looked at. */
const MAX_CHARACTERS = 2000;
/** Of words that go over several lines the first ones are shown. */
const MAX_LINES = 3;

/** A line of the command and the marks under it, both safe to print. */
export type FrameLine = { readonly number: number; readonly text: string; readonly marks: string };

/** Part of a text: the lines on which something stands, and what was left out behind them. */
export type Frame = { readonly lines: readonly FrameLine[]; readonly hiddenLines: number };

/**
 * The lines on which `start` to `end` of a text stand, with `^` under each of their cells. Long lines are cut to what is near.
 * An empty range, or one of line feeds alone, is marked where it begins.
 */
export function frameOf(text: string, { start, end }: { readonly start: number; readonly end: number }): Frame {
  const lines: FrameLine[] = [];
  let number = 1;
  let hiddenLines = 0;
  for (let from = 0; from <= text.length; number += 1) {
    const feed = text.indexOf("\n", from);
    const to = feed < 0 ? text.length : feed;
    // An empty line between marked ones is left out: there is nothing to point at.
    const isMeant = (start < to && end > from) || (start >= from && start <= to);
    if (isMeant && lines.length < MAX_LINES && (to > from || lines.length === 0)) lines.push(frameLine(text.slice(from, to), { number, from, start, end }));
    else if (isMeant && to > from) hiddenLines += 1;
    if (to >= end && to >= start) break;
    from = to + 1;
  }
  return { lines, hiddenLines };
}

type Place = { readonly number: number; readonly from: number; readonly start: number; readonly end: number };

function frameLine(whole: string, place: Place): FrameLine {
  const { number, start, end } = place;
  const left = whole.length <= MAX_CHARACTERS ? 0 : Math.max(0, Math.min(start - place.from, whole.length) - MAX_CHARACTERS / 4);
  const line = whole.slice(left, left + MAX_CHARACTERS);
  const cells = cellsOf(line, place.from + left);
  const isMarked = (cell: Cell): boolean => cell.end > start && cell.start < end;
  const found = cells.findIndex(isMarked);
  const first = found >= 0 ? found : firstAtOrBehind(cells, start);
  const cut = cutAround(cells, first);
  const { shown } = cut;
  const isCutBefore = cut.isCutBefore || left > 0;
  const isCutBehind = cut.isCutBehind || left + line.length < whole.length;
  const marks = shown
    .map((cell) => (isMarked(cell) ? "^" : " ").repeat(cell.width))
    .join("")
    .trimEnd();
  // Nothing to stand under: the place itself is marked.
  const here = marks === "" ? `${" ".repeat(widthBefore(shown, start))}^` : marks;
  return {
    number,
    text: `${isCutBefore ? "…" : ""}${shown.map((cell) => cell.printed).join("")}${isCutBehind ? "…" : ""}`.trimEnd(),
    marks: `${isCutBefore ? " " : ""}${here}`,
  };
}

function firstAtOrBehind(cells: readonly Cell[], start: number): number {
  const found = cells.findIndex((cell) => cell.start >= start);
  return found >= 0 ? found : cells.length;
}

function widthBefore(shown: readonly Cell[], start: number): number {
  return shown.reduce((width, cell) => (cell.start < start ? width + cell.width : width), 0);
}

function cutAround(cells: readonly Cell[], first: number): { readonly shown: readonly Cell[]; readonly isCutBefore: boolean; readonly isCutBehind: boolean } {
  if (widthOf(cells) <= MAX_CELLS) return { shown: cells, isCutBefore: false, isCutBehind: false };
  let begin = Math.min(first, cells.length);
  for (let width = 0; begin > 0; begin -= 1) {
    width += cells[begin - 1]?.width ?? 0;
    if (width > CELLS_BEFORE) break;
  }
  let behind = begin;
  for (let width = 0; behind < cells.length; behind += 1) {
    width += cells[behind]?.width ?? 0;
    if (width > MAX_CELLS) break;
  }
  return { shown: cells.slice(begin, behind), isCutBefore: begin > 0, isCutBehind: behind < cells.length };
}

function widthOf(cells: readonly Cell[]): number {
  return cells.reduce((width, cell) => width + cell.width, 0);
}
