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

/** Lines with their endings; a final line without an ending counts, an empty rest after the last ending does not. */
export function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}
