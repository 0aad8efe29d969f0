import type { styleText } from "node:util";
import { makeVisibleLine } from "../base/text.ts";
import type { ApprovalCard } from "./card.ts";

/**
 * What stands before every row of text that a model, a file or a command wrote. A card's own rows never
 * begin with it, and no row of that text is without it: forged text cannot pass for the card's own words.
 */
export const UNTRUSTED_MARK = "  | ";

type Style = Parameters<typeof styleText>[0];
/** Text in a style, or as it is where there is no colour. */
export type Paint = (style: Style, text: string) => string;
export const PLAIN: Paint = (_, text) => text;

const MIN_COLUMNS = 20;
/** Blank to the eye and no space: a line of them looks empty. Marks beyond the second on one letter reach into the rows around. */
const UNSEEN = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]|(?<=\p{M}{2})\p{M}/gu;

/** Text of unknown origin in rows, each with {@link UNTRUSTED_MARK} and none wider than `columns`. */
export function quote(text: string, columns: number): readonly string[] {
  const width = Math.max(MIN_COLUMNS, columns) - 1 - UNTRUSTED_MARK.length;
  return text.split("\n").flatMap((line) => rowsOf(visible(line), width).map((row) => UNTRUSTED_MARK + row));
}

/** The same of sentences, broken between words: why it is asked about, and nothing that would happen. */
export function quoteProse(text: string, columns: number): readonly string[] {
  const width = Math.max(MIN_COLUMNS, columns) - UNTRUSTED_MARK.length;
  return text.split("\n").flatMap((line) => ownRows(line, width).map((row) => UNTRUSTED_MARK + row));
}

/** A diff in the same rows, its lines coloured. */
export function quoteDiff(diff: string, columns: number, paint: Paint): readonly string[] {
  return diff.split("\n").flatMap((line) => {
    const style = line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : line.startsWith("@@") ? "cyan" : null;
    const rows = quote(line, columns);
    return style === null ? rows : rows.map((row) => UNTRUSTED_MARK + paint(style, row.slice(UNTRUSTED_MARK.length)));
  });
}

/** The card's own words, broken between words. What stands in them of others' must have been made visible. */
export function ownRows(text: string, columns: number): readonly string[] {
  const width = Math.max(MIN_COLUMNS, columns) - 1;
  const rows: string[] = [];
  let row = "";
  for (const word of visible(text).split(" ")) {
    const [first = "", ...more] = rowsOf(word, width);
    if (row !== "" && widthOf(row) + 1 + widthOf(first) > width) {
      rows.push(row);
      row = first;
    } else row = row === "" ? first : `${row} ${first}`;
    for (const piece of more) {
      rows.push(row);
      row = piece;
    }
  }
  rows.push(row);
  return rows;
}

/** A line in rows of at most `columns`, safe to print. */
export function wrapped(line: string, columns: number): readonly string[] {
  return rowsOf(visible(line), Math.max(MIN_COLUMNS, columns) - 1);
}

function visible(line: string): string {
  return makeVisibleLine(line).replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

function rowsOf(line: string, width: number): readonly string[] {
  const rows: string[] = [];
  let row = "";
  let used = 0;
  for (const character of line) {
    const needed = cells(character);
    if (used + needed > width) {
      rows.push(row);
      row = "";
      used = 0;
    }
    row += character;
    used += needed;
  }
  rows.push(row);
  return rows;
}

function widthOf(text: string): number {
  return Array.from(text, cells).reduce((sum, width) => sum + width, 0);
}

/** Anything beyond ASCII may take two columns; taking two for all is never too few. */
function cells(character: string): number {
  return character > "~" ? 2 : 1;
}

/** The characters beyond ASCII on a card, as `U+0456`: letters of other scripts look like ours. */
export function foreignCharacters(card: ApprovalCard): readonly string[] {
  const texts = [
    card.tool,
    ...card.commands,
    card.input,
    card.cwd,
    ...Object.entries(card.env).flat(),
    ...card.reads,
    ...card.writes,
    ...card.hosts,
    ...card.inputs,
    card.change?.diff ?? "",
  ];
  const found = new Set(texts.join("").match(/[^\x20-\x7e\n\t]/gu));
  return [...found].map((character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`);
}
