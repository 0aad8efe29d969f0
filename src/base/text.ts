// Control, bidirectional, zero-width and other invisible characters: what could forge a line, move the
// cursor or hide text on a terminal or on an approval card.
// Unicode's own list of what is not shown holds the soft hyphen, fillers, joiners, variation selectors and tags, too: whole texts were hidden in the last two.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/gu;

/** Printable ASCII alone: nearly every text, and nothing in it is to be made visible. */
const PLAIN_LINE = /^[ -~]*$/u;
const PLAIN = /^[\t\n -~]*$/u;

/**
 * Text of unknown origin, made safe to print: every control and invisible character but TAB and LF
 * becomes a visible `\u{…}` escape, and lone surrogates become U+FFFD.
 */
export function makeVisible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.toWellFormed().replace(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/**
 * A value as JSON that may be printed anywhere: what JSON itself leaves as it is of control and invisible characters (a terminal takes U+009B for the
 * beginning of a command) is escaped too. Whoever reads it as JSON gets the same value. `indent`: on lines of their own, with so many spaces a level.
 */
export function visibleJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  if (PLAIN_LINE.test(text)) return text;
  return text.replace(HIDDEN, (character) => character.split("").map(jsonEscape).join(""));
}

/** The same for one line: LF and TAB are escaped too. */
export function makeVisibleLine(text: string): string {
  if (PLAIN_LINE.test(text)) return text;
  return makeVisible(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

function jsonEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
