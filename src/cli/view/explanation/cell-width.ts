import { makeVisibleLine } from "../../../base/text.ts";

const TAB = "    ";
/** Characters that take two cells on a terminal: East Asian wide and fullwidth forms, and emoji. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{17000}-\u{18cff}]|[\u{1b000}-\u{1b2ff}]|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation})|\ufe0f/u;
/** What stands on the character before it. Alone it has no cell. */
const COMBINING = /^[\p{Mn}\p{Me}]+$/u;
/** Takes no cell, or one without ink, and is no control character: tags, fillers, selectors of a form. */
const INKLESS = /[\u00a0\u115f\u1160\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0]|[\ufe00-\ufe0e]|[\u{e0000}-\u{e0fff}]/gu;

/** One thing that is drawn: what is printed for a piece of the text, and how many cells it takes. */
export type Cell = { readonly printed: string; readonly width: number; readonly start: number; readonly end: number };

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * A line of text as a terminal draws it, safe to print: controls and what has no ink are escaped, a TAB is four blanks, and each
 * piece knows its cells, so that a mark can be set under it. `offset`: where the line begins in the text that positions refer to.
 */
export function cellsOf(line: string, offset: number): readonly Cell[] {
  if (/^[\u0020-\u007e]*$/u.test(line)) return Array.from(line, (printed, at) => ({ printed, width: 1, start: offset + at, end: offset + at + 1 }));
  return Array.from(segmenter.segment(line), ({ segment, index }) => {
    const printed = segment === "\t" ? TAB : makeInkVisible(segment);
    return { printed, width: widthOf(printed, segment), start: offset + index, end: offset + index + segment.length };
  });
}

function makeInkVisible(segment: string): string {
  const shown = makeVisibleLine(segment).replace(INKLESS, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
  return COMBINING.test(shown) ? `◌${shown}` : shown;
}

function widthOf(printed: string, segment: string): number {
  // An escape is plain ASCII; what it stands beside in its cluster is drawn by itself.
  if (printed === segment || COMBINING.test(segment)) return WIDE.test(printed) ? 2 : 1;
  return [...printed].reduce((width, character) => width + (COMBINING.test(character) ? 0 : WIDE.test(character) ? 2 : 1), 0);
}
