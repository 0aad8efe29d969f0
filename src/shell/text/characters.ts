import { LIMITS } from "../model/limits.ts";
import type { UndecidableCode } from "../model/model.ts";

export type LexicalReading = {
  /** The first thing in the text that must not be parsed at all. */
  readonly problem: { readonly code: UndecidableCode; readonly at: number } | null;
  /** Some `$(`, `$[` or backtick stands in the text, quoted or not. */
  readonly hasSubstitution: boolean;
};

/**
 * Looks at the characters of a text before it is parsed, in one pass. What would make people, the
 * parser and bash see different commands is a problem: control and invisible characters, broken
 * UTF-16, and a line continuation that joins two halves of a token (`$\⏎(id)`).
 */
export function readCharacters(text: string): LexicalReading {
  if (text.length > LIMITS.maxCharacters) return { problem: { code: "too-long", at: LIMITS.maxCharacters }, hasSubstitution: false };
  if (PLAIN.test(text)) return NOTHING_FOUND;
  let hasSubstitution = false;
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) {
      const problem = findHidden(text, at, code);
      if (problem !== null) return { problem: { code: problem, at }, hasSubstitution };
      if (code >= 0xd800 && code <= 0xdbff) at += 1;
    } else if (code < 0x20) {
      if (code !== TAB && code !== LINE_FEED) return { problem: { code: "hidden-character", at }, hasSubstitution };
      if (code === LINE_FEED && joinsToken(text, at)) return { problem: { code: "line-continuation", at: at - 1 }, hasSubstitution };
    } else if (code === OPEN) {
      open += 1;
      if (open > LIMITS.maxOpenParentheses) return { problem: { code: "too-deep", at }, hasSubstitution };
      if (text.charCodeAt(at - 1) === DOLLAR) hasSubstitution = true;
    } else if (code === CLOSE) {
      if (open > 0) open -= 1;
    } else if (code === BACKTICK || (code === BRACKET && text.charCodeAt(at - 1) === DOLLAR)) {
      hasSubstitution = true;
    } else if (code === 0x7f) {
      return { problem: { code: "hidden-character", at }, hasSubstitution };
    }
  }
  return { problem: null, hasSubstitution };
}

/** Printable ASCII alone, without what a substitution begins with: nearly every text. */
const PLAIN = /^[ -')-Z\\\]^_a-~]*$/;
const NOTHING_FOUND: LexicalReading = { problem: null, hasSubstitution: false };

const TAB = 9;
const LINE_FEED = 10;
const DOLLAR = 36;
const OPEN = 40;
const CLOSE = 41;
const BACKSLASH = 92;
const BRACKET = 91;
const BACKTICK = 96;

/** Whether the line feed continues a line in the middle of a word. */
function joinsToken(text: string, lineFeed: number): boolean {
  if (text.charCodeAt(lineFeed - 1) !== BACKSLASH) return false;
  const before = text.charCodeAt(lineFeed - 2);
  return !(before === 32 || before === TAB || before === LINE_FEED || lineFeed === 1);
}

/** Controls (C1), bidirectional and zero-width characters, tags, line separators, and lone surrogates. */
function findHidden(text: string, at: number, code: number): UndecidableCode | null {
  if (code <= 0x9f || code === 0xad || code === 0x61c || code === 0x180e || code === 0xfeff) return "hidden-character";
  if (code >= 0x200b && code <= 0x206f) {
    const isVisible = (code >= 0x2010 && code <= 0x2027) || (code >= 0x202f && code <= 0x205f);
    return isVisible ? null : "hidden-character";
  }
  if (code >= 0xfff9 && code <= 0xfffb) return "hidden-character";
  if (code < 0xd800 || code > 0xdfff) return null;
  const next = text.charCodeAt(at + 1);
  if (code >= 0xdc00 || !(next >= 0xdc00 && next <= 0xdfff)) return "not-utf16";
  // U+E0000 to U+E0FFF: tags and invisible variation selectors.
  return code >= 0xdb40 && code <= 0xdb43 ? "hidden-character" : null;
}

/** A text with a letter in the place of each character that a backslash quotes. */
export function withoutEscapes(text: string): string {
  return text.includes("\\") ? text.replace(/\\[^]/g, "x") : text;
}
