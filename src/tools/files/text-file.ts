const BYTE_ORDER_MARK = "\uFEFF";

/** A text file as its editor sees it: decoded, without byte-order mark, and with what must be put back. */
export type TextFile = {
  readonly text: string;
  readonly hasByteOrderMark: boolean;
  /** False: some bytes were no UTF-8 and are U+FFFD in `text`, so it must not be written back. */
  readonly isExact: boolean;
};

/** Decodes UTF-8; null when the bytes are binary (a NUL in the first 8,000 bytes, as git decides it). */
export function decodeTextFile(bytes: Uint8Array): TextFile | null {
  if (bytes.subarray(0, 8000).includes(0)) return null;
  const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const hasByteOrderMark = decoded.startsWith(BYTE_ORDER_MARK);
  const isExact = !decoded.includes("\uFFFD") || Buffer.from(decoded, "utf8").equals(bytes);
  return { text: hasByteOrderMark ? decoded.slice(1) : decoded, hasByteOrderMark, isExact };
}

/** The text with its byte-order mark put back. */
export function encodeTextFile(text: string, hasByteOrderMark: boolean): string {
  return hasByteOrderMark ? BYTE_ORDER_MARK + text : text;
}

/**
 * Lines with their endings, one after the other, from a place at which a line begins; a final line without an ending counts, an empty rest
 * after the last ending does not. Made as they are asked for: a file of 10 MiB may have as many lines.
 */
export function* linesFrom(text: string, start = 0): Generator<string, void, void> {
  for (let from = start; from < text.length;) {
    const feed = text.indexOf("\n", from);
    const until = feed < 0 ? text.length : feed + 1;
    yield text.slice(from, until);
    from = until;
  }
}

/** At most so many of these lines. */
export function takeLines(text: string, most: number, start = 0): readonly string[] {
  const taken: string[] = [];
  if (most <= 0) return taken;
  for (const line of linesFrom(text, start)) if (taken.push(line) >= most) break;
  return taken;
}

/** How many lines there are from `start` up to `end`. */
export function countLines(text: string, start = 0, end = text.length): number {
  let count = 0;
  let from = start;
  for (; from < end; count += 1) {
    const feed = text.indexOf("\n", from);
    from = feed < 0 ? end : feed + 1;
  }
  return count;
}

/** Where the line begins that has so many lines before it; the end of the text when there is none. */
export function startOfLine(text: string, linesBefore: number): number {
  let from = 0;
  for (let passed = 0; passed < linesBefore && from < text.length; passed += 1) {
    const feed = text.indexOf("\n", from);
    from = feed < 0 ? text.length : feed + 1;
  }
  return from;
}
