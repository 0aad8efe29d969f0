import { LETTERS, NAMED, readAt, skip, type SecretPattern } from "./secret-pattern.ts";

/** The shortest end of a secret that is taken away beside a cut. */
const MIN_REST_CHARACTERS = 4;

/**
 * How much of the beginning of a text, which follows a cut, is the end of a secret, however it is written: the cut may lie within an escape, or within the line end of
 * base64 that is wrapped.
 */
export function restAt(text: string, patterns: readonly SecretPattern[]): number {
  const lower = text.toLowerCase();
  const brokenOf = brokenEscapes(lower);
  let longest = 0;
  for (const { id, characters, isWrapped } of patterns) {
    const starts = beginnings(lower, isWrapped);
    for (let at = 1; at <= characters.length - MIN_REST_CHARACTERS; at += 1) {
      const pattern = { id, characters: characters.slice(at), isWrapped };
      const behind = brokenOf(characters.charAt(at - 1)).flatMap((offset) => [offset, skip(lower, offset, isWrapped)]);
      const ends = [...new Set([...starts, ...behind])].map((offset) => readAt(lower, offset, pattern, true));
      const end = Math.max(0, ...ends.filter((found) => typeof found === "number"));
      longest = Math.max(longest, end);
      // The ends that follow are shorter.
      if (end > 0) break;
    }
  }
  return longest;
}

/** Where the next character of a secret may stand: at once, or behind (the rest of) what means nothing. */
function beginnings(text: string, isWrapped: boolean): readonly number[] {
  const afterBroken = isWrapped && /^[rn]/u.test(text) ? [1, skip(text, 1, isWrapped)] : [];
  return [...new Set([0, skip(text, 0, isWrapped), ...afterBroken])];
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
    return [`%252525${hex}`, `\\\\u00${hex}`, `\\\\x${hex}`, ...entities];
  });
  const letters = Object.keys(LETTERS).filter((letter) => LETTERS[letter] === character);
  const names = Object.keys(NAMED).filter((name) => NAMED[name] === character);
  return [...ofCodes, ...letters.map((letter) => `\\\\${letter}`), ...names.map((name) => `&${name};`), `\\${character}`];
}
