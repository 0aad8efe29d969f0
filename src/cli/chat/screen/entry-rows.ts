import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { paint } from "../../view/style.ts";
import type { Entry } from "../conversation/entry.ts";

/** What stands before rows of a model's words: no row of theirs begins where Warder's own do. */
const INDENT = "  ";
const MORE = "  ";
const MOODS = { plain: null, quiet: "dim", warning: "yellow", fault: "red" } as const;
const TAB = "    ";
/** The library puts it around its ellipsis. */
const RESET = "\u001b[0m";
/** Of what a person said: more was pasted, and they know it. */
const MAX_PERSON_LINES = 10;
const FOLDED_LINES = 5;

/** An entry in rows of at most `columns`. */
export function entryRows(entry: Entry, columns: number): readonly string[] {
  switch (entry.kind) {
    case "person": {
      const lines = entry.text.split("\n");
      const folded = lines.length - FOLDED_LINES;
      const text = lines.length <= MAX_PERSON_LINES ? entry.text : [...lines.slice(0, FOLDED_LINES), `… ${String(folded)} more lines`].join("\n");
      const note = entry.note === "" ? [] : [paint("dim", `${INDENT}(${entry.note})`)];
      return ["", ...wrap(text, columns, { first: "> ", more: MORE }).map((row) => paint("bold", row)), ...note];
    }
    case "model":
      return [...(entry.isFirst ? [""] : []), ...wrap(entry.text, columns, { first: INDENT, more: INDENT })];
    case "call":
      return [callRow(entry, columns)];
    case "word": {
      const style = MOODS[entry.mood];
      return wrap(entry.text, columns, { first: "", more: MORE }).map((row) => (style === null ? row : paint(style, row)));
    }
    case "lines":
      return entry.lines.flatMap((line) => wrap(line, columns, { first: "", more: MORE }));
  }
}

/** What a tool did, in one row: of what it was about there is as much as fits beside how it ended. */
function callRow({ tool, what, ended, mood }: Extract<Entry, { kind: "call" }>, columns: number): string {
  const head = cut(`▸ ${tool}`, Math.floor(columns * 0.4));
  const tail = cut(` · ${ended}`, Math.floor(columns * 0.6));
  const room = columns - visibleWidth(head) - visibleWidth(tail) - 2;
  const middle = what === "" || room < 4 ? "" : `  ${cut(what, room)}`;
  return `${paint(mood === "fine" ? "cyan" : "red", head)}${middle}${paint(mood === "fine" ? "dim" : "red", tail)}`;
}

/** Text in rows, broken between words where it can be. */
export function wrap(text: string, columns: number, { first, more }: { readonly first: string; readonly more: string }): readonly string[] {
  const width = Math.max(8, columns - Math.max(first.length, more.length));
  return text.split("\n").flatMap((line, index) => {
    const rows = wrapTextWithAnsi(line.replaceAll("\t", TAB), width);
    return (rows.length === 0 ? [""] : rows).map((row, at) => `${index === 0 && at === 0 ? first : more}${row}`.trimEnd());
  });
}

/** At most so many columns of a text that has no colours. */
export function cut(text: string, columns: number): string {
  return truncateToWidth(text.replaceAll("\t", " "), Math.max(1, columns), "…").replaceAll(RESET, "");
}
