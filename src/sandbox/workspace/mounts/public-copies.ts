import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scan } from "../scan/scan.ts";

/** By path: a copy of what was measured, which is shown in its place. */
export type PublicCopies = ReadonlyMap<string, string>;

/** Writes what is shown of files that patterns of keys name, for everybody to read and nobody to write. */
export function writePublicCopies(directory: string, scans: readonly Scan[]): PublicCopies {
  const copies = new Map<string, string>();
  for (const { path, content } of scans.flatMap(({ shown }) => shown)) {
    const copy = join(directory, String(copies.size));
    writeFileSync(copy, content, { flag: "wx" });
    chmodSync(copy, 0o444);
    copies.set(path, copy);
  }
  return copies;
}
