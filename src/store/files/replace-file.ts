import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** Writes a file whole or not at all, with `mode` (less what the umask takes). Throws what the system says; then nothing is left of it. */
export function replaceFile(path: string, text: string, mode: number): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}.new`;
  try {
    const file = openSync(draft, "wx", mode);
    try {
      // On a disk that is nearly full, a single write takes a part and says nothing.
      writeFileSync(file, text);
      // Its name must not be on the disk before it is.
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    // A part of it would take the room that is missing.
    rmSync(draft, { force: true });
    throw error;
  }
}
