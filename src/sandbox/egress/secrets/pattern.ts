/** One way to write a secret. Compared with a text in lower case: a server may change the case of what it echoes. */
export type SecretPattern = {
  readonly id: string;
  /** In lower case, each a byte. */
  readonly characters: string;
  /** What may stand within: line ends, as in base64 that is wrapped; also what divides hexadecimal into groups. */
  readonly gaps: Gaps;
  /** In base64: a further character holds the last bits of the secret, and bits of what follows. */
  readonly hasTail?: boolean;
};

export type Gaps = "none" | "lines" | "groups";

/** A secret (bytes) as it is, in base64 (at each of the three places in a longer text, both alphabets), in hexadecimal, and written in ASCII. */
export function patternsOf(id: string, secret: string): readonly SecretPattern[] {
  const encoded = [0, 1, 2].flatMap((offset) => {
    const base64 = base64Within(secret, offset);
    const hasTail = (offset + secret.length) % 3 !== 0;
    return [base64, base64.replaceAll("+", "-").replaceAll("/", "_")].map((text) => [text.toLowerCase(), hasTail] as const);
  });
  const base64 = [...new Map(encoded)];
  const plain = [secret, ...inAscii(Buffer.from(secret, "latin1").toString())].map((text) => text.toLowerCase());
  return [
    ...plain.map((characters) => ({ id, characters, gaps: "none" as const })),
    ...base64.map(([characters, hasTail]) => ({ id, characters, gaps: "lines" as const, hasTail })),
    { id, characters: Buffer.from(secret, "latin1").toString("hex"), gaps: "groups" },
  ];
}

/**
 * What is beyond ASCII in a text, by its number and not by its bytes: as in JSON (of UTF-16, Python's `json.dumps`) and in HTML. The rest may be
 * escaped as {@link readAt} reads it. Nothing for what is ASCII already.
 */
function inAscii(text: string): readonly string[] {
  const beyond = /[^\0-\x7f]/gu;
  if (text.search(beyond) < 0) return [];
  const units = (character: string): string =>
    Array.from({ length: character.length }, (_unused, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
  const point = (character: string): number => character.codePointAt(0) ?? 0;
  return [
    text.replaceAll(beyond, units),
    text.replaceAll(beyond, (character) => `&#${String(point(character))};`),
    text.replaceAll(beyond, (character) => `&#x${point(character).toString(16)};`),
  ];
}

/** The characters of base64 that the secret alone decides when `offset` bytes stand before it: what its neighbours share in is left out. */
function base64Within(secret: string, offset: number): string {
  const base64 = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret, "latin1")]).toString("base64");
  const bits = (offset + secret.length) * 8;
  return base64.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
}

/** So often may what means nothing stand between two characters: a line end with what the next line is indented by, also as JSON writes it, the zeros of UTF-16. */
const MAX_SKIPPED = 4;
const SKIPPED: Readonly<Record<Gaps, RegExp>> = {
  none: /\0/uy,
  lines: /\0|(?:[\r\n]|\\{1,4}[rn])[ \t]{0,16}/uy,
  // `od`, `xxd`, `openssl`.
  groups: /[\0 \t:-]|(?:[\r\n]|\\{1,4}[rn])[ \t]{0,16}/uy,
};

/**
 * Whether the pattern stands at a place of a text in lower case: where it ends at the latest; `unfinished` when the text ends before that is
 * known, unless it is whole; null. Each character may stand for itself, or escaped as in a URL (also again: `%2541`), in JSON or
 * JavaScript, or in HTML.
 */
export function readAt(
  text: string,
  at: number,
  { characters, gaps, hasTail, isWhole }: Pick<SecretPattern, "characters" | "gaps" | "hasTail"> & { readonly isWhole: boolean },
  readings: Readings = readingsOf(text),
): number | "unfinished" | null {
  let ends: readonly number[] = [at];
  for (const character of characters) {
    const next: number[] = [];
    for (const end of ends) {
      const from = end === at ? end : skip(text, end, gaps);
      if (!isWhole && mayGoOn(text, from)) return "unfinished";
      for (const read of readings(from)) if (read.character === character && !next.includes(read.end)) next.push(read.end);
    }
    if (next.length === 0) return null;
    ends = next;
  }
  const end = Math.max(...ends);
  return hasTail === true ? tailAt(text, end, { gaps, isWhole, readings }) : end;
}

/** The end of a secret in base64, with the character that it shares with what follows, and what fills the last group. */
function tailAt(text: string, end: number, place: { readonly gaps: Gaps; readonly isWhole: boolean; readonly readings: Readings }): number | "unfinished" {
  const { gaps, isWhole, readings } = place;
  let at = end;
  for (const wanted of [/^[a-z0-9+/_-]$/u, /^=$/u, /^=$/u]) {
    const from = skip(text, at, gaps);
    if (!isWhole && mayGoOn(text, from)) return "unfinished";
    const read = readings(from).find(({ character }) => wanted.test(character));
    if (read === undefined) return at;
    at = read.end;
  }
  return at;
}

/** Behind what stands between two characters of a secret and means nothing. */
export function skip(text: string, from: number, gaps: Gaps): number {
  const skipped = SKIPPED[gaps];
  skipped.lastIndex = from;
  let at = from;
  for (let count = 0; count < MAX_SKIPPED && skipped.test(text); count += 1) at = skipped.lastIndex;
  return at;
}

/** Whether what stands here could become another character when more follows. */
export function mayGoOn(text: string, at: number): boolean {
  const first = text[at];
  if (first === undefined) return true;
  const escape = ESCAPES[first];
  return escape !== undefined && text.length - at < LONGEST_ESCAPE && escape.begun.test(text.slice(at));
}

/** A character that a text can be read as at some place, and where it ends. */
type Reading = { readonly character: string; readonly end: number };
export type Readings = (at: number) => readonly Reading[];

/** As far as secrets that are compared at one place look together. */
const REMEMBERED = 256;

/** What can be read at each place of a text, which is decoded once however many secrets are compared with it. */
export function readingsOf(text: string): Readings {
  const places = new Int32Array(REMEMBERED).fill(-1);
  const known: (readonly Reading[])[] = [];
  return (at) => {
    const slot = at % REMEMBERED;
    const found = places[slot] === at ? known[slot] : undefined;
    if (found !== undefined) return found;
    places[slot] = at;
    return (known[slot] = readCharacters(text, at));
  };
}

function readCharacters(text: string, at: number): readonly Reading[] {
  const first = text[at] ?? "";
  const readings: Reading[] = [{ character: first, end: at + 1 }];
  // A form writes a space as `+`.
  if (first === "+") readings.push({ character: " ", end: at + 1 });
  const escape = ESCAPES[first];
  if (escape === undefined) return readings;
  const rest = text.slice(at, at + LONGEST_ESCAPE);
  for (const form of escape.forms) {
    const found = form.exec(rest);
    if (found !== null) readings.push({ character: escape.meaning(found[1] ?? ""), end: at + found[0].length });
  }
  return readings;
}

type Escape = {
  readonly forms: readonly RegExp[];
  /** Matches what could become one of the forms, or a longer one, when more follows. */
  readonly begun: RegExp;
  /** The character in lower case that the first group stands for. */
  readonly meaning: (group: string) => string;
};

/** `&#x000041;` and `%2525252541` are shorter. */
const LONGEST_ESCAPE = 16;

const ofHex = (digits: string): string => String.fromCharCode(Number.parseInt(digits, 16)).toLowerCase();
/** The control characters that have an escape of one letter. */
export const LETTERS: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };
export const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const ESCAPES: Readonly<Record<string, Escape>> = {
  // `%2541` is `%41` in a URL within a URL, or a percent sign and `41`: each reading counts.
  "%": {
    forms: [/^%([0-9a-f]{2})/u, /^%25([0-9a-f]{2})/u, /^%2525([0-9a-f]{2})/u, /^%252525([0-9a-f]{2})/u],
    begun: /^%(?:25){0,3}[0-9a-f]?$/u,
    meaning: ofHex,
  },
  "\\": {
    // JSON within JSON writes a quote with three of them, and that within JSON with seven.
    forms: [/^\\{1,4}(u00[0-9a-f]{2}|x[0-9a-f]{2}|[bfnrtv])/u, /^\\{1,7}([^a-z0-9\\])/u, /^\\(\\)/u, /^\\{3}(\\)/u, /^\\{7}(\\)/u],
    begun: /^\\{1,8}(?:u(?:0(?:0[0-9a-f]?)?)?|x[0-9a-f]?)?$/u,
    meaning: (group) => LETTERS[group] ?? (group.length > 1 ? ofHex(group.slice(-2)) : group),
  },
  "&": {
    forms: [/^&(#0{0,4}[0-9]{2,3}|#x0{0,4}[0-9a-f]{2}|amp|lt|gt|quot|apos);/u],
    begun: /^&[#a-z0-9]{0,9}$/u,
    meaning: (group) =>
      group.startsWith("#x") ? ofHex(group.slice(2)) : group.startsWith("#") ? String.fromCharCode(Number(group.slice(1))).toLowerCase() : (NAMED[group] ?? ""),
  },
};

/**
 * Finds where one of the patterns can begin: its first character, escaped or not, and after one that is not what its second can begin
 * with. A body is read mostly by this expression alone.
 */
export function startsOf(patterns: readonly SecretPattern[]): RegExp {
  const firsts = [...new Set(patterns.map(({ characters }) => characters.slice(0, 1)))];
  const seconds = (first: string): string => {
    const following = patterns.filter(({ characters }) => characters.startsWith(first)).map(({ characters }) => characters.slice(1, 2));
    return [...new Set(following.flatMap((second) => (second === " " ? [" ", "+"] : [second])))].map(exactly).join("");
  };
  const plain = firsts.map((first) => `${exactly(first)}(?=[%\\\\&\\0\\r\\n${seconds(first)}]|$)`);
  const hex = firsts.map((first) => `${hexOf(first)}|${hexOf(first.toUpperCase())}`).join("|");
  const decimal = firsts.map((first) => `${String(first.charCodeAt(0))}|${String(first.toUpperCase().charCodeAt(0))}`).join("|");
  const letters = Object.keys(LETTERS).filter((letter) => firsts.includes(LETTERS[letter] ?? ""));
  const signs = firsts.filter((first) => /[^a-z0-9]/u.test(first)).map(exactly);
  const escaped = [
    `%(?=(?:25){0,3}(?:${hex}|[0-9a-f]?$))`,
    `\\\\(?=\\\\{0,3}(?:u00|x)(?:${hex})|\\\\{0,7}(?:u(?:0(?:0[0-9a-f]?)?)?|x[0-9a-f]?)?$${[...signs.map((sign) => `\\\\{0,6}${sign}`), ...letters.map((letter) => `\\\\{0,3}${letter}`)].map((sign) => `|${sign}`).join("")})`,
    `&(?=#0{0,4}(?:${decimal});|#x0{0,4}(?:${hex});|(?:amp|lt|gt|quot|apos);|[#a-z0-9]{0,9}$)`,
  ];
  return new RegExp([...plain, ...escaped].join("|"), "gu");
}

function exactly(character: string): string {
  return `\\x${hexOf(character)}`;
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, "0");
}
