import { readFileSync, type Stats } from "node:fs";
import { AgentError } from "../../../base/errors.ts";
import { writeWhole } from "../files/whole-file.ts";

/**
 * What the workspace looked like when its overlay was mounted: for each relative path a signature. A
 * path whose signature changed since was changed by somebody else, and applying to it is a conflict.
 */
export type Manifest = Map<string, string>;

/** Type, inode, size, mtime and ctime; of a directory type and mode alone, as its times change with each entry. ctime cannot be set back by whoever changes a file. */
export function signatureOf(stats: Stats): string {
  if (stats.isDirectory()) return `d ${(stats.mode & 0o7777).toString(8)}`;
  const type = stats.isFile() ? "f" : stats.isSymbolicLink() ? "l" : "o";
  return [type, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(" ");
}

/** From a scan's entries: absolute paths below `root`. */
export function manifestOf(root: string, entries: ReadonlyMap<string, Stats>): Manifest {
  const manifest: Manifest = new Map();
  for (const [path, stats] of entries) manifest.set(path.slice(root.length + 1), signatureOf(stats));
  return manifest;
}

/** Writes it whole or not at all: a JSON text `[path, signature, path, signature…]`. */
export function writeManifest(file: string, manifest: Manifest): void {
  writeWhole(file, JSON.stringify([...manifest].flat()));
}

/** Throws `broken-invariant` for a file that is not there or no manifest: without one nothing can be told from what somebody changed. */
export function readManifest(file: string): Manifest {
  const flat = readFlat(file);
  if (flat === null || flat.length % 2 !== 0)
    throw new AgentError(
      "broken-invariant",
      `${file}, which says what the workspace was when the run began, is missing or damaged: nothing lands, as it might undo what you changed since. See the changes with \`warder changes diff\`, and take over what you want by hand.`,
    );
  const manifest: Manifest = new Map();
  for (let index = 0; index < flat.length; index += 2) manifest.set(flat[index] ?? "", flat[index + 1] ?? "");
  return manifest;
}

function readFlat(file: string): readonly string[] | null {
  try {
    const flat: unknown = JSON.parse(readFileSync(file, "utf8"));
    return Array.isArray(flat) && flat.every((item) => typeof item === "string") ? flat : null;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
