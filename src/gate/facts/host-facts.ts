import { isUtf8 } from "node:buffer";
import { constants, opendirSync, type Stats } from "node:fs";
import { lstat, open, readlink, type FileHandle } from "node:fs/promises";
import { posix } from "node:path";
import { sha256 } from "../../base/digest.ts";
import { isMeasured, type PathFact } from "../../policy/facts.ts";
import { MAX_NAMES, MAX_TEXT_BYTES } from "../../sandbox/runtime.ts";
import type { FactSource } from "./fact-source.ts";
import { plainTables } from "./sqlite-tables.ts";
import type { SearchedPlace } from "./git-repositories.ts";
import { whatSteersGit } from "./git-settings.ts";
import { type Place, trackedBelow } from "./git-tracked-names.ts";

/** As many links as Linux follows in one path (path_resolution(7)). */
const MAX_LINKS = 40;
const MAX_HASHED_BYTES = 64 * 1024 * 1024;
/** The time that going through a tree may take. */
const MAX_NAMES_MS = 1_000;

/**
 * Facts from the host's own files, for a verdict without a session. A root is taken as the sandbox mounts
 * it, at its own path; below it links are followed one by one, and never further once they lead out.
 */
export function hostFacts(roots: readonly string[], containment: "none" | "profile" = "none"): FactSource {
  const place: Place = {
    resolve: (paths) => Promise.all(paths.map((path) => resolvePath(path, roots))),
    bytes: (path, most) => readBytes(path, roots, most),
  };
  // Above the roots and beside them lie repositories that git finds all the same.
  const everywhere = [...roots, "/"];
  const searched: SearchedPlace = {
    resolve: place.resolve,
    bytes: (path, most) => readBytes(path, everywhere, most),
    names: (directory, depth) => Promise.resolve(namesBelow(directory, everywhere, depth)),
  };
  return {
    measured: "host",
    // Nobody holds a file as it was measured: it may be another one when it is read.
    publicOnly: new Set(),
    publicHeld: new Set(),
    privateKeys: null,
    resolve: place.resolve,
    hash: (paths) => Promise.all(paths.map((path) => hashFile(path, roots))),
    names: (directory, depth) => Promise.resolve(namesBelow(directory, roots, depth)),
    texts: async (paths) => new Map(await Promise.all(paths.map(async (path) => [path, await readText(path, roots)] as const))),
    tracked: (directory) => trackedBelow(place, directory),
    // As in a session, if the command is for one.
    steersGit: (look) => whatSteersGit(searched, { ...look, mayBecomeBare: look.mayBecomeBare && containment === "none" }),
    tables: (databases) => Promise.all(databases.map((path) => readFrom(path, roots, plainTables))),
  };
}

async function resolvePath(path: string, roots: readonly string[]): Promise<PathFact> {
  try {
    return await walk(path, roots);
  } catch (error) {
    // Unmeasured: the policy takes it as the riskiest class.
    const what = error instanceof Error && "code" in error ? String(error.code) : "fault";
    return { path, real: path, type: "missing", links: 0, error: `it could not be measured (${what})` };
  }
}

async function walk(path: string, roots: readonly string[]): Promise<PathFact> {
  const start = rootOf(path, roots);
  let done = start ?? "/";
  let rest = partsOf(path, done);
  let links = 0;
  for (;;) {
    const next = rest.shift();
    const here = next === undefined ? done : posix.join(done, next);
    const status = await statusOf(here);
    if (status === null) return { path, real: posix.join(here, ...rest), type: "missing", links: 0 };
    // The mount of a root is no link inside the sandbox, whatever it is on the host.
    if (status.isSymbolicLink() && here !== start) {
      links += 1;
      if (links > MAX_LINKS) return { path, real: path, type: "other", links: 0, error: "too many links" };
      const target = posix.resolve(done, await readlink(here));
      if (start !== null && !isWithin(target, start)) return { path, real: posix.join(target, ...rest), type: "other", links: 0 };
      done = start ?? "/";
      rest = partsOf(target, done).concat(rest);
      continue;
    }
    done = here;
    if (rest.length === 0) return { path, real: done, type: typeOf(status), links: status.isDirectory() ? 1 : status.nlink };
    if (!status.isDirectory() && here !== start) return { path, real: posix.join(here, ...rest), type: "missing", links: 0 };
  }
}

function partsOf(path: string, base: string): string[] {
  return path
    .slice(base.length)
    .split("/")
    .filter((part) => part !== "");
}

function rootOf(path: string, roots: readonly string[]): string | null {
  const containing = roots.filter((root) => isWithin(path, root));
  return containing.toSorted((left, right) => right.length - left.length)[0] ?? null;
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}

function typeOf(status: Stats): PathFact["type"] {
  if (status.isFile()) return "file";
  return status.isDirectory() ? "directory" : "other";
}

async function statusOf(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return null;
    throw error;
  }
}

/** What is read from a regular file in a root, or null; the last component is never followed. */
async function readFrom<T>(path: string, roots: readonly string[], read: (file: FileHandle, size: number) => Promise<T | null>): Promise<T | null> {
  if (rootOf(path, roots) === null) return null;
  const fact = await resolvePath(path, roots);
  if (!isMeasured(fact) || fact.type !== "file") return null;
  try {
    const file = await open(fact.real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const status = await file.stat();
      return status.isFile() ? await read(file, status.size) : null;
    } finally {
      await file.close();
    }
  } catch (error) {
    // Unreadable for this user, or gone meanwhile: unknown to the analysis, which then assumes the worst.
    if (error instanceof Error && "code" in error && ["EACCES", "EPERM", "ENOENT", "ELOOP", "ENXIO"].includes(String(error.code))) return null;
    throw error;
  }
}

async function readBytes(path: string, roots: readonly string[], maxBytes: number): Promise<Buffer | null> {
  return await readFrom(path, roots, async (file, size) => (size <= maxBytes ? await file.readFile() : null));
}

async function hashFile(path: string, roots: readonly string[]): Promise<string | null> {
  const bytes = await readBytes(path, roots, MAX_HASHED_BYTES);
  return bytes === null ? null : sha256(bytes);
}

async function readText(path: string, roots: readonly string[]): Promise<string | null> {
  const bytes = await readBytes(path, roots, MAX_TEXT_BYTES);
  // What is no UTF-8 is no text, as in a session.
  return bytes === null || !isUtf8(bytes) ? null : bytes.toString("utf8");
}

/** Null where a directory cannot be read, or it takes too long. What is no UTF-8 in a name becomes U+FFFD. */
function namesBelow(directory: string, roots: readonly string[], depth?: 1): readonly string[] | null {
  if (rootOf(directory, roots) === null) return null;
  const until = performance.now() + MAX_NAMES_MS;
  const names: string[] = [];
  const folders = [""];
  try {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for (const { name, isFolder } of entriesOf(posix.join(directory, folder))) {
        const path = posix.join(folder, name);
        if (names.push(path) > MAX_NAMES || performance.now() > until) return null;
        if (isFolder && depth === undefined) folders.push(path);
      }
    }
    return names;
  } catch (error) {
    // Unreadable, or gone meanwhile.
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

/** Read in parts, since a directory may hold any number of names, and without waiting, which would take ten times as long. */
function* entriesOf(folder: string): Generator<{ readonly name: string; readonly isFolder: boolean }> {
  const stream = opendirSync(folder, { bufferSize: 256 });
  try {
    for (let entry = stream.readSync(); entry !== null; entry = stream.readSync()) yield { name: entry.name, isFolder: entry.isDirectory() };
  } finally {
    stream.closeSync();
  }
}
