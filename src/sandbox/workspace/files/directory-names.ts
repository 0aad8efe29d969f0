import { readdirSync } from "node:fs";

/** Names in a directory of the host; none when it is not there. */
export function directoryNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
