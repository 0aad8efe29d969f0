import { createHash, type Hash } from "node:crypto";
import { closeSync, readSync } from "node:fs";
import { ifThere, openRegular } from "../../store/files/regular-file.ts";

const PART_BYTES = 256 * 1024;
/** More than any record has: a file without line ends is not held as a whole. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LINE_END = 0x0a;

/** What a file turned out to be besides its lines. */
export type LinesEnd = {
  readonly sha256: string;
  /** Whether a line was longer than any that is written; then nothing behind it was read. */ readonly isTooLong: boolean;
};

/**
 * Yields each line of a file, and returns what the whole file was. Never holds more than one line in memory. Null if there is no such file. Throws
 * `audit-unavailable` for anything but a regular file.
 */
export function readLines(path: string): Generator<string, LinesEnd, void> | null {
  const file = ifThere(() => openRegular(path, "read", "audit-unavailable"));
  return file === null ? null : linesOf(file);
}

function* linesOf(file: number): Generator<string, LinesEnd, void> {
  const digest = createHash("sha256");
  try {
    let begun: Buffer[] = [];
    let begunBytes = 0;
    for (let part = nextPart(file, digest); part.length > 0; part = nextPart(file, digest)) {
      let from = 0;
      for (let end = part.indexOf(LINE_END); end >= 0; end = part.indexOf(LINE_END, from)) {
        yield Buffer.concat([...begun, part.subarray(from, end)]).toString("utf8");
        begun = [];
        begunBytes = 0;
        from = end + 1;
      }
      begun.push(part.subarray(from));
      begunBytes += part.length - from;
      if (begunBytes > MAX_LINE_BYTES) return { sha256: "", isTooLong: true };
    }
    return { sha256: digest.digest("hex"), isTooLong: false };
  } finally {
    closeSync(file);
  }
}

function nextPart(file: number, digest: Hash): Buffer {
  const part = Buffer.allocUnsafe(PART_BYTES);
  const read = part.subarray(0, readSync(file, part, 0, PART_BYTES, null));
  digest.update(read);
  return read;
}
