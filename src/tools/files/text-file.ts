const BYTE_ORDER_MARK = "\uFEFF";

export type Encoding = "UTF-8" | "UTF-16LE" | "UTF-16BE" | "Latin-1";

/** A text file as its editor sees it: decoded, without byte-order mark, and with what must be put back. */
export type TextFile = {
  readonly text: string;
  readonly hasByteOrderMark: boolean;
  readonly encoding: Encoding;
  /** False: it must not be written back, because that would not give the bytes that are there. */
  readonly isExact: boolean;
};

/** Bytes that tell what a file is, as git has it. */
const LOOKED_AT = 8000;

/** Decodes text; null when the bytes are binary (a NUL among the first, as git decides it, that is no half of a UTF-16 unit). */
export function decodeTextFile(bytes: Uint8Array): TextFile | null {
  const wide = wideEncoding(bytes);
  if (wide !== null) return { ...withoutMark(new TextDecoder(wide, { ignoreBOM: true }).decode(bytes)), encoding: wide, isExact: false };
  if (bytes.subarray(0, LOOKED_AT).includes(0)) return null;
  const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const isExact = !decoded.includes("\uFFFD") || Buffer.from(decoded, "utf8").equals(bytes);
  // Where no character beyond ASCII is UTF-8, the file is in an encoding of one byte a character.
  const isNarrow = !isExact && !/[^\0-\x7f\uFFFD]/u.test(decoded) && !hasControls(bytes);
  if (isNarrow) return { text: Buffer.from(bytes).toString("latin1"), hasByteOrderMark: false, encoding: "Latin-1", isExact: false };
  return { ...withoutMark(decoded), encoding: "UTF-8", isExact };
}

function withoutMark(decoded: string): Pick<TextFile, "text" | "hasByteOrderMark"> {
  const hasByteOrderMark = decoded.startsWith(BYTE_ORDER_MARK);
  return { text: hasByteOrderMark ? decoded.slice(1) : decoded, hasByteOrderMark };
}

// Latin-1 has no characters at 0x80-0x9f, and text no controls but those of white space.
function hasControls(bytes: Uint8Array): boolean {
  return bytes.some((byte) => (byte < 0x20 && !(byte >= 0x07 && byte <= 0x0d) && byte !== 0x1b) || (byte >= 0x7f && byte < 0xa0));
}

/** UTF-16 by its byte-order mark, or because of almost every two bytes one is zero, always the same. */
function wideEncoding(bytes: Uint8Array): "UTF-16LE" | "UTF-16BE" | null {
  const [first, second, third, fourth] = bytes;
  // FF FE 00 00 is UTF-32.
  if (first === 0xff && second === 0xfe && !(third === 0 && fourth === 0)) return "UTF-16LE";
  if (first === 0xfe && second === 0xff) return "UTF-16BE";
  const looked = bytes.subarray(0, LOOKED_AT);
  if (bytes.length % 2 !== 0 || looked.length < 8) return null;
  const zeros = [0, 0];
  for (const [index, byte] of looked.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const most = 0.45 * looked.length;
  if (zeros[0] === 0 && (zeros[1] ?? 0) >= most) return "UTF-16LE";
  return zeros[1] === 0 && (zeros[0] ?? 0) >= most ? "UTF-16BE" : null;
}

/** Why a file is left as it is: what a tool writes is UTF-8, and the file is none. Null stands for a binary file. */
export function whyNotRewritten(file: TextFile | null): string {
  if (file === null)
    return "The file is binary, not UTF-8 text, so it cannot be changed as text without damage. Nothing was written. Use shell with a program that knows what it is.";
  if (file.encoding === "UTF-8")
    return "The file is not UTF-8 text throughout, so it cannot be changed without damage. Nothing was written. Use shell, for example with sed.";
  const from = file.encoding === "Latin-1" ? "ISO-8859-1" : file.encoding;
  return `The file is ${file.encoding} text, not UTF-8, so it cannot be changed without damage. Nothing was written. Use shell: iconv -f ${from} -t UTF-8 makes a copy that can be edited.`;
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
