import { closeSync, fstatSync, fsyncSync, ftruncateSync, writeSync } from "node:fs";
import { openRegular } from "./regular-file.ts";

/**
 * Appends one line to a file (mode 0600), durably and whole or not at all. A line cut short by a full disk would join the next one, and look like
 * tampering. `open` decides whether the file may be a symlink. Throws what the file system says; the file is then as it was, as far as it can be
 * truncated.
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
