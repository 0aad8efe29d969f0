// Control, bidirectional, zero-width and other invisible characters: what could forge a line, move the
// cursor or hide text on a terminal or on an approval card.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

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

/** The same for one line: LF and TAB are escaped too. */
export function makeVisibleLine(text: string): string {
  if (PLAIN_LINE.test(text)) return text;
  return makeVisible(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}
