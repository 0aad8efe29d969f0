import { bytes, u32, u8, type FieldReader } from "./fields.ts";
import { isWithin, verb, type Verb } from "./files.ts";
import { MAX_TEXT_BYTES, REQUEST } from "./protocol.ts";

export type SearchRequest = {
  /** A file or a directory. */
  readonly path: string;
  /** At most 4,096 bytes, in one line. */
  readonly text: string;
  /** Letters of ASCII match in either case. */
  readonly ignoresCase: boolean;
  /** Lines in all, and of one file: 1 to 100,000. */
  readonly maxMatches: number;
  readonly maxPerFile: number;
};

/** `name`: relative to the directory that was searched, empty for the file that was. `line`: counted from 1. `text`: at most 512 bytes of the line. */
export type FoundLine = { readonly name: string; readonly line: number; readonly text: string };
/** `skipped`: files that are binary, longer than 64 MiB, with a line longer than 1 MiB, or not to be read, and directories not to be entered. */
export type Found = { readonly lines: readonly FoundLine[]; readonly isTruncated: boolean; readonly skipped: number };

export function searchVerb({ path, text, ignoresCase, maxMatches, maxPerFile }: SearchRequest, timeoutMs: number): Verb<Found> {
  if (text === "" || /[\0\n]/u.test(text) || !text.isWellFormed() || Buffer.byteLength(text) > MAX_TEXT_BYTES)
    return { refused: "A text to search for has 1 to 4,096 bytes in one line, without NUL." };
  if (!isWithin(maxMatches, 1, 100_000) || !isWithin(maxPerFile, 1, 100_000)) return { refused: "A search gives 1 to 100,000 lines." };
  const fields = [u8(ignoresCase ? 1 : 0), u32(maxMatches), u32(maxPerFile), bytes(path), bytes(text)];
  return verb(REQUEST.search, [path], timeoutMs, { fields, read: readFound });
}

function readFound(fields: FieldReader): Found {
  const lines: FoundLine[] = [];
  const decoder = new TextDecoder();
  while (fields.u8() === 1) {
    const name = decoder.decode(fields.bytes());
    const line = fields.u32();
    lines.push({ name, line, text: decoder.decode(fields.bytes()) });
  }
  return { lines, isTruncated: fields.u8() !== 0, skipped: fields.u32() };
}
