import { renameSync, rmSync, writeFileSync } from "node:fs";
import { guarded } from "../../../store/files/fault.ts";

/** Writes a file of a run's state whole or not at all, readable by its owner alone. Throws `store-unavailable`, with what to do. */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.new`;
  guarded("store-unavailable", `${file} cannot be written`, () => {
    try {
      writeFileSync(draft, text, { mode: 0o600 });
      renameSync(draft, file);
    } catch (error) {
      // A part of it would take the room that is missing.
      rmSync(draft, { force: true });
      throw error;
    }
  });
}
