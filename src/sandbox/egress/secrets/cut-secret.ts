import { type Gaps, LETTERS, NAMED, readAt, readingsOf, skip, type SecretPattern } from "./pattern.ts";

/** The shortest end of a secret that is taken away beside a cut. */
const MIN_REST_CHARACTERS = 4;

/**
 * A text was cut, and its beginning may be the end of a secret. Returns how many characters of it are, however the secret is written: the
 * cut may lie within an escape, or within a line end of wrapped base64.
 */
export function restAt(text: string, patterns: readonly SecretPattern[]): number {
  const lower = text.toLowerCase();
  const brokenOf = brokenEscapes(lower);
  const readings = readingsOf(lower);
  let longest = 0;
  for (const { id, characters, gaps, hasTail = false } of patterns) {
    const starts = beginnings(lower, gaps);
    for (let at = 1; at <= characters.length - MIN_REST_CHARACTERS; at += 1) {
      const pattern = { id, characters: characters.slice(at), gaps, hasTail };
      const behind = brokenOf(characters.charAt(at - 1)).flatMap((offset) => [offset, skip(lower, offset, gaps)]);
      const ends = [...new Set([...starts, ...behind])].map((offset) => readAt(lower, offset, { ...pattern, isWhole: true }, readings));
      const end = Math.max(0, ...ends.filter((found) => typeof found === "number"));
      longest = Math.max(longest, end);
      // The ends that follow are shorter.
      if (end > 0) break;
    }
  }
  return longest;
}

/** Where the next character of a secret may stand: at once, or behind (the rest of) what means nothing. */
function beginnings(text: string, gaps: Gaps): readonly number[] {
  if (gaps === "none") return [...new Set([0, skip(text, 0, gaps)])];
  // The cut may lie within an escaped line end, or within what the line is indented by.
  const lineEnds = /^[rn]/u.test(text) ? [0, 1] : [0];
  return [...new Set(lineEnds.flatMap((at) => [at, skip(text, at, gaps), indented(text, at), skip(text, indented(text, at), gaps)]))];
}

function indented(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\t") at += 1;
  return at;
}

/** For a character, behind which ends of its escapes the text may go on. */
function brokenEscapes(text: string): (character: string) => readonly number[] {
  const known = new Map<string, readonly number[]>();
  return (character) => {
    const found = known.get(character) ?? [
      ...new Set(
        escapesOf(character).flatMap((escape) =>
          Array.from({ length: escape.length - 1 }, (_unused, index) => escape.slice(index + 1)).flatMap((end) => (text.startsWith(end) ? end.length : [])),
        ),
      ),
    ];
    known.set(character, found);
    return found;
  };
}

/** The escapes of a character, in lower case, as {@link readAt} reads them. */
function escapesOf(character: string): readonly string[] {
  const codes = [...new Set([character, character.toUpperCase()])].map((form) => form.charCodeAt(0));
  const ofCodes = codes.flatMap((code) => {
    const hex = code.toString(16).padStart(2, "0");
    const entities = ["", "0", "00", "000", "0000"].flatMap((zeros) => [`&#${zeros}${String(code)};`, `&#x${zeros}${hex};`]);
    return [`%252525${hex}`, `${"\\".repeat(4)}u00${hex}`, `${"\\".repeat(4)}x${hex}`, ...entities];
  });
  const letters = Object.keys(LETTERS).filter((letter) => LETTERS[letter] === character);
  const names = Object.keys(NAMED).filter((name) => NAMED[name] === character);
  return [...ofCodes, ...letters.map((letter) => `${"\\".repeat(4)}${letter}`), ...names.map((name) => `&${name};`), `${"\\".repeat(7)}${character}`];
}
