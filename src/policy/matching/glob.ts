import { aligns, type Alignment } from "./wildcard-match.ts";

/**
 * Globs of one word: the words of command rules, host labels and single path components. No
 * expression is built from a policy's text, so matching is linear and cannot be made to hang.
 */
export type GlobToken =
  | { readonly kind: "character"; readonly value: string }
  /** `?` */
  | { readonly kind: "any" }
  /** `*`, and whatever is not modelled more exactly (an extglob group). */
  | { readonly kind: "star" }
  /** `[a-z]`; `ranges` hold code points, both ends included. */
  | { readonly kind: "class"; readonly isNegated: boolean; readonly ranges: readonly (readonly [number, number])[] };

export type Glob = readonly GlobToken[];

const STAR: GlobToken = { kind: "star" };
const ANY: GlobToken = { kind: "any" };

/**
 * Reads `*`, `?`, `[…]` and `\x`. `!(…)`, `@(…)`, `+(…)`, `?(…)` and `*(…)` become a star, which matches more, and so does whatever
 * follows one whose end is not plain: with a group, a class or an escape in it.
 */
export function parseGlob(text: string): Glob {
  const characters = [...text];
  const tokens: GlobToken[] = [];
  let index = 0;
  while (index < characters.length) {
    const character = characters[index] as string;
    const groupEnd = "!@+?*".includes(character) && characters[index + 1] === "(" ? characters.indexOf(")", index + 2) : -1;
    const classEnd = character === "[" ? endOfClass(characters, index) : -1;
    if (groupEnd > 0) {
      tokens.push(STAR);
      index = characters.slice(index + 2, groupEnd).some((inner) => "([\\".includes(inner)) ? characters.length : groupEnd + 1;
    } else if (classEnd > 0) {
      tokens.push(readClass(characters.slice(index + 1, classEnd)));
      index = classEnd + 1;
    } else if (character === "\\" && index + 1 < characters.length) {
      tokens.push({ kind: "character", value: characters[index + 1] as string });
      index += 2;
    } else {
      tokens.push(character === "*" ? STAR : character === "?" ? ANY : { kind: "character", value: character });
      index += 1;
    }
  }
  return tokens;
}

/** Every character for itself. */
export function literalGlob(text: string): Glob {
  return [...text].map((value) => ({ kind: "character", value }));
}

/** What begins with `prefix`. */
export function prefixGlob(prefix: string): Glob {
  return [...literalGlob(prefix), STAR];
}

/** The one text that a glob without wildcards matches; null when it has any. */
export function literalText(glob: Glob): string | null {
  let text = "";
  for (const token of glob) {
    if (token.kind !== "character") return null;
    text += token.value;
  }
  return text;
}

/** Whether the glob matches all of the text. */
export function matchesGlob(glob: Glob, text: string): boolean {
  // Most texts differ in their first or last character: a workspace of 10,000 files is looked through with every pattern.
  const first = glob[0];
  const last = glob.at(-1);
  if (first?.kind === "character" && !text.startsWith(first.value)) return false;
  if (last?.kind === "character" && !text.endsWith(last.value)) return false;
  return globsIntersect(glob, literalGlob(text));
}

/** Whether some text is matched by both. Two classes are taken to share a character: the answer errs towards yes. */
export function globsIntersect(one: Glob, other: Glob): boolean {
  if (differ(one[0], other[0]) || differ(one.at(-1), other.at(-1))) return false;
  if (!hasStar(other)) return aligns(one, other, TOKENS);
  if (!hasStar(one)) return aligns(other, one, TOKENS);
  // reached[j]: the first i tokens of `one` and the first j tokens of `other` match a common text.
  let reached = closeOverStars([true, ...other.map(() => false)], other);
  for (const token of one) {
    const next = Array<boolean>(other.length + 1).fill(false);
    for (let j = 0; j <= other.length; j += 1) {
      if (reached[j] !== true) continue;
      if (token.kind === "star") {
        for (let k = j; k <= other.length; k += 1) next[k] = true;
        break;
      }
      const opposite = other[j];
      if (opposite === undefined) continue;
      if (opposite.kind === "star") next[j] = true;
      else if (tokensIntersect(token, opposite)) next[j + 1] = true;
    }
    reached = closeOverStars(next, other);
  }
  return reached[other.length] === true;
}

function hasStar(glob: Glob): boolean {
  for (const token of glob) if (token.kind === "star") return true;
  return false;
}

/** Tokens against those of a glob that has no star. */
const TOKENS: Alignment<GlobToken, GlobToken> = { isStar: ({ kind }) => kind === "star", takes: tokensIntersect };

/** Two plain characters that are not the same: most pairs of words are told apart by their first or last one. */
function differ(one: GlobToken | undefined, other: GlobToken | undefined): boolean {
  return one?.kind === "character" && other?.kind === "character" && one.value !== other.value;
}

/** A star of `other` may stand for nothing. */
function closeOverStars(reached: boolean[], other: Glob): boolean[] {
  for (let j = 0; j < other.length; j += 1) if (reached[j] === true && other[j]?.kind === "star") reached[j + 1] = true;
  return reached;
}

function tokensIntersect(one: GlobToken, other: GlobToken): boolean {
  if (one.kind === "character") return other.kind === "character" ? one.value === other.value : other.kind !== "class" || classHas(other, one.value);
  return other.kind !== "character" || one.kind !== "class" || classHas(one, other.value);
}

function classHas(token: Extract<GlobToken, { kind: "class" }>, character: string): boolean {
  const point = character.codePointAt(0) ?? 0;
  return token.ranges.some(([low, high]) => low <= point && point <= high) !== token.isNegated;
}

/** What a class may hold between `[` and `]` that means characters by the machine's language: `[:alpha:]`, `[=a=]`, `[.a.]`. */
const NAMED = ":=.";

/** Index of the `]` that ends a class which begins at `start`; -1 when it has none and `[` is a character. */
function endOfClass(characters: readonly string[], start: number): number {
  let index = start + 1;
  if (characters[index] === "!" || characters[index] === "^") index += 1;
  if (characters[index] === "]") index += 1;
  while (index < characters.length && characters[index] !== "]") {
    const kind = characters[index] === "[" ? (characters[index + 1] ?? "") : "";
    if (kind !== "" && NAMED.includes(kind)) {
      const close = characters.findIndex((character, at) => at > index + 1 && character === kind && characters[at + 1] === "]");
      if (close > 0) index = close + 1;
    }
    index += characters[index] === "\\" ? 2 : 1;
  }
  return index < characters.length ? index : -1;
}

function readClass(inside: readonly string[]): GlobToken {
  // What depends on the locale is taken to match any character.
  if (/\[[:=.]/u.test(inside.join(""))) return ANY;
  const isNegated = inside[0] === "!" || inside[0] === "^";
  const members: { readonly point: number; readonly isPlain: boolean }[] = [];
  for (let index = isNegated ? 1 : 0; index < inside.length; index += 1) {
    const isEscaped = inside[index] === "\\" && index + 1 < inside.length;
    if (isEscaped) index += 1;
    members.push({ point: inside[index]?.codePointAt(0) ?? 0, isPlain: !isEscaped });
  }
  const ranges: [number, number][] = [];
  for (let index = 0; index < members.length; index += 1) {
    const low = members[index]?.point ?? 0;
    const dash = members[index + 1];
    const high = members[index + 2];
    // `\-` is a member, and so is the dash at an end.
    const isRange = dash?.point === 0x2d && dash.isPlain && high !== undefined;
    ranges.push([low, isRange ? high.point : low]);
    if (isRange) index += 2;
  }
  return { kind: "class", isNegated, ranges };
}
