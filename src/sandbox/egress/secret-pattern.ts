/** One way to write a secret. Compared with a text in lower case: a server may change the case of what it echoes. */
export type SecretPattern = {
  readonly id: string;
  /** In lower case, printable ASCII. */
  readonly characters: string;
  /** Line ends may stand within, as in base64 that is wrapped. */
  readonly isWrapped: boolean;
};

/** A secret as it is, in base64 (at each of the three places in a longer text, both alphabets) and in hexadecimal. */
export function patternsOf(id: string, secret: string): readonly SecretPattern[] {
  const encoded = [0, 1, 2].flatMap((offset) => {
    const base64 = base64Within(secret, offset);
    return [base64, base64.replaceAll("+", "-").replaceAll("/", "_")];
  });
  const written = [...new Set([...encoded, Buffer.from(secret, "latin1").toString("hex")].map((text) => text.toLowerCase()))];
  return [{ id, characters: secret.toLowerCase(), isWrapped: false }, ...written.map((characters) => ({ id, characters, isWrapped: true }))];
}

/** The characters of base64 that the secret alone decides when `offset` bytes stand before it: what its neighbours share in is left out. */
function base64Within(secret: string, offset: number): string {
  const base64 = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret, "latin1")]).toString("base64");
  const bits = (offset + secret.length) * 8;
  return base64.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
}

/** So many bytes that mean nothing may stand between two characters: a line end, the zeros of UTF-16. */
const MAX_SKIPPED = 4;

/**
 * Whether the pattern stands at a place of a text in lower case: where it ends; `unfinished` when the text ends first; null. Each character
 * may stand for itself, or escaped as in a URL (also again: `%2541`), in JSON or JavaScript, or in HTML.
 */
export function readAt(text: string, at: number, { characters, isWrapped }: SecretPattern): number | "unfinished" | null {
  const first = text[at] ?? "";
  if (first !== characters[0] && ESCAPES[first] === undefined) return null;
  let ends: readonly number[] = [at];
  for (const character of characters) {
    const next: number[] = [];
    for (const end of ends) {
      const read = readCharacter(text, end === at ? end : skip(text, end, isWrapped), character);
      if (read === "unfinished") return "unfinished";
      next.push(...read);
    }
    if (next.length === 0) return null;
    ends = next;
  }
  return Math.max(...ends);
}

function skip(text: string, from: number, isWrapped: boolean): number {
  const skipped = isWrapped ? "\0\r\n" : "\0";
  let at = from;
  while (at < from + MAX_SKIPPED && at < text.length && skipped.includes(text[at] ?? "")) at += 1;
  return at;
}

/** Each end of one character that stands here. */
function readCharacter(text: string, at: number, character: string): readonly number[] | "unfinished" {
  const first = text[at];
  if (first === undefined) return "unfinished";
  const ends = first === character ? [at + 1] : [];
  const escape = ESCAPES[first];
  if (escape === undefined) return ends;
  // The longest escape has 16 characters.
  const rest = text.slice(at, at + 16);
  if (rest.length < 16 && escape.begun.test(rest)) return "unfinished";
  const found = escape.whole.exec(rest);
  if (found !== null && escape.meaning(found[1] ?? "") === character) ends.push(at + found[0].length);
  return ends;
}

type Escape = {
  readonly whole: RegExp;
  /** Matches what could become `whole` when more follows. */
  readonly begun: RegExp;
  /** The character in lower case that the first group stands for. */
  readonly meaning: (group: string) => string;
};

const ofHex = (digits: string): string => String.fromCharCode(Number.parseInt(digits, 16)).toLowerCase();
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const ESCAPES: Readonly<Record<string, Escape>> = {
  "%": { whole: /^%(?:25){0,4}([0-9a-f]{2})/u, begun: /^%(?:25){0,4}[0-9a-f]?$/u, meaning: ofHex },
  "\\": {
    whole: /^\\(u00[0-9a-f]{2}|x[0-9a-f]{2}|[^a-z0-9])/u,
    begun: /^\\(?:u(?:0(?:0[0-9a-f]?)?)?|x[0-9a-f]?)?$/u,
    meaning: (group) => (group.length > 1 ? ofHex(group.slice(-2)) : group),
  },
  "&": {
    whole: /^&(#0{0,4}[0-9]{2,3}|#x0{0,4}[0-9a-f]{2}|amp|lt|gt|quot|apos);/u,
    begun: /^&[#a-z0-9]{0,9}$/u,
    meaning: (group) =>
      group.startsWith("#x") ? ofHex(group.slice(2)) : group.startsWith("#") ? String.fromCharCode(Number(group.slice(1))).toLowerCase() : (NAMED[group] ?? ""),
  },
};
