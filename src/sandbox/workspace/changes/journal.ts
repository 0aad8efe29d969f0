import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import type { Layers } from "../files/layers.ts";
import type { HardLinks } from "./hard-links.ts";
import type { ApplyProgram } from "./apply-program.ts";
import { type Manifest, signatureOf } from "../scan/manifest.ts";
import { digestOfFile } from "./plan.ts";
import { isTemporary } from "./interrupted-writes.ts";
import { linkTarget, namesIn, statEntry } from "../files/tree.ts";

// Landing ends at any moment: kill -9, a full disk. Each path is the workspace's or the run's by then, and the manifest does not say which.
// The journal names the paths that are ours, so that what landed is no conflict when landing goes on. It outlives processes; a power cut may
// take its end, and then a path that landed is reported as a conflict.

export type Journal = {
  /** Notes paths down before they are touched. Throws the system's error. */
  note(...paths: readonly string[]): void;
  close(): void;
};

/** A journal that is there already grows. */
export function openJournal(file: string): Journal {
  const fd = openSync(file, "a", 0o600);
  return {
    // A path may hold anything but NUL.
    note: (...paths) => {
      if (paths.length > 0) writeFileSync(fd, paths.map((path) => `${path}\0`).join(""));
    },
    close: () => {
      closeSync(fd);
    },
  };
}

export type Recovery = { readonly layers: Layers; readonly manifest: Manifest; readonly program: ApplyProgram; readonly hardLinks: HardLinks };

/**
 * Brings the manifest up to date with what an interrupted landing did, and removes the temporary files that it left. What somebody
 * else changed since stays a conflict.
 */
export async function recoverJournal(file: string, { layers, manifest, program, hardLinks }: Recovery): Promise<void> {
  const paths = new Set(readJournal(file));
  const directories = new Set<string>();
  for (const path of paths) {
    directories.add(path.slice(0, Math.max(0, path.lastIndexOf("/"))));
    settle(path, { layers, manifest, hardLinks });
  }
  for (const directory of directories) {
    for (const name of namesIn(layers.lower, directory)) {
      const path = directory === "" ? name : `${directory}/${name}`;
      if (isTemporary(name) && !manifest.has(path)) await program.perform(["remove", path, "any"]);
    }
  }
}

function readJournal(file: string): readonly string[] {
  try {
    // The last one may be half a path: then nothing was begun.
    return readFileSync(file, "utf8").split("\0").slice(0, -1);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function settle(path: string, { layers, manifest, hardLinks }: Omit<Recovery, "program">): void {
  const current = statEntry(layers.lower, path);
  if (current === null || manifest.get(path) !== signatureOf(current)) hardLinks.settle(path);
  if (current === null) {
    // Whoever removed it, there is nothing that landing could take from somebody.
    manifest.delete(path);
    return;
  }
  if (manifest.get(path) === signatureOf(current)) return;
  const wanted = statEntry(layers.upper, path);
  if (wanted === null) return;
  const isLanded =
    (wanted.isDirectory() && current.isDirectory()) ||
    (wanted.isSymbolicLink() && current.isSymbolicLink() && linkTarget(layers.upper, path) === linkTarget(layers.lower, path)) ||
    (wanted.isFile() && current.isFile() && wanted.size === current.size && digestOfFile(layers.upper, path) === digestOfFile(layers.lower, path));
  if (isLanded) manifest.set(path, signatureOf(current));
}
