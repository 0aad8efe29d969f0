import { closeSync, fstatSync, fsyncSync, ftruncateSync, writeSync } from "node:fs";
import { openRegular } from "./regular-file.ts";

/**
 * Adds one line to a file (mode 0600) that is only added to, durable when it returns; `open` says whether it may be a link. All of it or nothing: what a full disk took of a line would make
 * one broken line with the next, which looks as if somebody had touched the file. Throws what the file system says; then the file is as it was, as far as
 * it can be shortened at all.
 */
export function appendLine(path: string, line: string, open: typeof openRegular = openRegular): void {
  const bytes = Buffer.from(`${line}\n`);
  const file = open(path, "append", "store-unavailable");
  try {
    const { size } = fstatSync(file);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(file, bytes, written);
      fsyncSync(file);
    } catch (error) {
      takeBack(file, size, written);
      throw error;
    }
  } finally {
    closeSync(file);
  }
}

// Nothing of what another process added meanwhile.
function takeBack(file: number, size: number, written: number): void {
  try {
    if (fstatSync(file).size === size + written) ftruncateSync(file, size);
  } catch (error) {
    // A file that can only grow: what came of the line is told by the fault that is on its way.
    void error;
  }
}
