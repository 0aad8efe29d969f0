/** Any number of lines that hold nothing. */
export const LINES = String.raw`(?:\n )*`;

/** What ends a statement: a line feed, or a `;` with or without one. */
export const END = String.raw`[;\n] ${LINES}`;
export const MAY_END = `(?:${END})?`;

/** Where something stands in the text: from its first character to behind its last. */
export type Place = { readonly pos: number; readonly end: number };

/** A text, where its here-documents stand, and the first place where something stands that bash does not take. */
export type Reading = { readonly text: string; readonly documents: Documents; problem: number | null };

/** Where the bodies of here-documents stand: from the first character of each to the end of the line that ends it. */
type Documents = ReadonlyMap<number, number>;

const TOKEN = /&&|\|\||;;&|;;|;&|\|&|[;&|(){}!]|\[\[|\]\]|(?:if|then|elif|else|fi|while|until|do|done|for|select|case|in|esac|function|coproc)(?![\w-])/y;
const BLANK = /(?:[ \t]|\\\n)+/y;
const COMMENT = /#[^\n]*/y;
/** What ends a word without being a blank. */
const ENDS_WORD = /[;&|()\n]/;

/** What may stand between two nodes, as tokens with a blank behind each. */
export type Gap = { readonly pattern: RegExp; readonly takesNothing: boolean; /** How it is written as a rule. */ readonly usual: string };

const GAPS = new Map<string, Gap>();

/** A gap from the source of a regular expression over its tokens. */
export function gapOf(source: string, usual = " "): Gap {
  const known = GAPS.get(source);
  if (known !== undefined) return known;
  const pattern = new RegExp(`^(?:${source})$`);
  const gap = { pattern, takesNothing: pattern.test(""), usual };
  GAPS.set(source, gap);
  return gap;
}

export const NOTHING = gapOf("");

/** Notes a problem unless what stands between two places is what may stand there. */
export function expect(reading: Reading, from: number, to: number, gap: Gap): void {
  if (reading.problem !== null) return;
  const { text } = reading;
  if (gap.takesNothing && (from === to || (to === from + 1 && text.charCodeAt(from) === SPACE))) return;
  if (to - from === gap.usual.length && gap.usual !== " " && text.startsWith(gap.usual, from)) return;
  const tokens = tokensBetween(text, from, to, reading.documents);
  if (tokens === null || !gap.pattern.test(tokens)) reading.problem = from;
}

/** The same for a gap that is put together where it is expected. */
export function expectTokens(reading: Reading, from: number, to: number, source: string): void {
  expect(reading, from, to, gapOf(source));
}

/** Expects the same, or what `gap` says for the part before, between all parts. */
export function inOrder(reading: Reading, parts: readonly Place[], gap: (index: number) => Gap): void {
  for (let index = 0; index + 1 < parts.length; index += 1) {
    const [part, next] = [parts[index], parts[index + 1]];
    if (part !== undefined && next !== undefined) expect(reading, part.end, next.pos, gap(index));
  }
}

const SPACE = 32;

/**
 * The tokens between two nodes of a syntax tree, each with a blank behind it; a line feed is one of them. Blanks, comments and the bodies of
 * here-documents are none. Null where anything else stands there.
 */
function tokensBetween(text: string, from: number, to: number, documents: Documents): string | null {
  let tokens = "";
  let at = from;
  // Behind a blank or an operator, `#` begins a comment; behind anything else it goes on with a word.
  let isApart = from === 0 || /[\s;&|(]/.test(text.charAt(from - 1));
  while (at < to) {
    const character = text.charAt(at);
    if (character === "\n") {
      tokens += "\n ";
      at = documents.get(at + 1) ?? at + 1;
      isApart = true;
      continue;
    }
    if (character === "#" && isApart) {
      at = endOf(COMMENT, text, at);
      continue;
    }
    const blank = endOf(BLANK, text, at);
    if (blank > at) {
      isApart ||= /[ \t]/.test(text.slice(at, blank));
      at = blank;
      continue;
    }
    const end = endOf(TOKEN, text, at);
    const token = text.slice(at, end);
    const isOperator = ENDS_WORD.test(token);
    if (end === at || (!isOperator && !endsWord(text, end))) return null;
    tokens += `${token} `;
    at = end;
    isApart = isOperator;
  }
  return at === to ? tokens : null;
}

/** A reserved word is one only where it ends as a word; `in>(id)` goes on. */
function endsWord(text: string, at: number): boolean {
  return at >= text.length || /^(?:[\s;&|()]|[<>](?!\()|\\\n)/.test(text.slice(at, at + 2));
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
