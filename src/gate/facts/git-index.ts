import { createHash } from "node:crypto";
import { isRepositoryName } from "../../sandbox/workspace/repository/paths.ts";

// gitformat-index(5): which files a repository tracks, before a command is decided. Of the extensions only those that cache trees and speed up reading are
// known. What lands is read by git itself.

type Entry = {
  /** Each a byte. */ readonly path: string;
  readonly mode: number;
};
export type IndexFile = { readonly entries: readonly Entry[] };

const HEADER_BYTES = 12;
const STAT_BYTES = 40;
const MODES = new Set([0o100644, 0o100755, 0o120000, 0o160000]);
const GITLINK = 0o160000;
const EXTENSIONS = new Set(["TREE", "REUC", "EOIE", "IEOT"]);
const EXTENDED = 0x4000;

/** Linux has no longer path; and in version 4 a few bytes for each entry may stand for a path as long as the one before. */
const MAX_PATH_BYTES = 4096;
const MAX_PATHS_BYTES = 128 * 1024 ** 2;

/** Reads an index whose ids have `idBytes` bytes and whose paths together at most `mostPathBytes`; or says why it cannot be read. */
export function readIndex(bytes: Buffer, idBytes: 20 | 32, mostPathBytes = MAX_PATHS_BYTES): IndexFile | string {
  const end = bytes.length - idBytes;
  if (end < HEADER_BYTES || bytes.toString("latin1", 0, 4) !== "DIRC") return "It is no index of git.";
  const digest = createHash(idBytes === 20 ? "sha1" : "sha256")
    .update(bytes.subarray(0, end))
    .digest();
  if (!digest.equals(bytes.subarray(end))) return "The index is damaged.";
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return "The index has an unknown version.";
  try {
    return readParts(bytes.subarray(0, end), { version, idBytes, mostPathBytes });
  } catch (error) {
    if (error instanceof RangeError) return "The index ends in the middle of an entry.";
    throw error;
  }
}

/** The largest index whose offsets matter here has some hundred thousand entries. */
const MAX_OFFSETS = 4096;

/**
 * The paths of an index at which a submodule may lie, or null where that cannot be told. git does not check an index's digest, and neither does this: what git reads
 * is what counts. With several threads git begins where the extension IEOT says, so that must be where entries begin.
 */
export function submodulePaths(bytes: Buffer, idBytes: 20 | 32): readonly string[] | null {
  const end = bytes.length - idBytes;
  if (end < HEADER_BYTES || bytes.toString("latin1", 0, 4) !== "DIRC") return null;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return null;
  try {
    return linksIn(bytes.subarray(0, end), { version, idBytes, mostPathBytes: MAX_PATHS_BYTES });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function linksIn(bytes: Buffer, format: Format): readonly string[] | null {
  const paths: string[] = [];
  const starts = new Map<number, number>();
  let at = HEADER_BYTES;
  let previous = "";
  let pathBytes = 0;
  const count = bytes.readUInt32BE(8);
  for (let index = 0; index < count; index += 1) {
    const { entry, next } = readEntry(bytes, at, previous, format);
    pathBytes += entry.path.length;
    if (pathBytes > format.mostPathBytes) return null;
    if (entry.mode === GITLINK) paths.push(entry.path);
    starts.set(at, index);
    previous = entry.path;
    at = next;
  }
  const entriesEnd = at;
  while (at < bytes.length) {
    const name = bytes.toString("latin1", at, at + 4);
    const size = bytes.readUInt32BE(at + 4);
    // Entries of a split index lie in another file.
    if (name === "link" || size > bytes.length - at - 8) return null;
    if (name === "EOIE" && bytes.readUInt32BE(at + 8) !== entriesEnd) return null;
    if (name === "IEOT" && (format.version === 4 || !areStarts(bytes.subarray(at + 8, at + 8 + size), starts, count))) return null;
    at += 8 + size;
  }
  return at === bytes.length ? paths : null;
}

/** Blocks of entries, each with where it begins and how many there are. */
function areStarts(table: Buffer, starts: ReadonlyMap<number, number>, count: number): boolean {
  let entries = 0;
  if (table.length % 8 !== 4 || table.length / 8 > MAX_OFFSETS) return false;
  for (let at = 4; at < table.length; at += 8) {
    if (starts.get(table.readUInt32BE(at)) !== entries) return false;
    entries += table.readUInt32BE(at + 4);
  }
  return entries === count;
}

type Format = { readonly version: number; readonly idBytes: number; readonly mostPathBytes: number };

function readParts(bytes: Buffer, format: Format): IndexFile | string {
  const entries: Entry[] = [];
  let at = HEADER_BYTES;
  let previous = "";
  let pathBytes = 0;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const { entry, next } = readEntry(bytes, at, previous, format);
    if (!MODES.has(entry.mode)) return "The index has an entry of an unknown type.";
    pathBytes += entry.path.length;
    if (entry.path.length > MAX_PATH_BYTES || pathBytes > format.mostPathBytes) return "The index has longer paths than a workspace can have.";
    if (!isPlainPath(entry.path)) return "The index has an entry that git does not allow.";
    entries.push(entry);
    previous = entry.path;
    at = next;
  }
  while (at < bytes.length) {
    const name = bytes.toString("latin1", at, at + 4);
    if (!EXTENSIONS.has(name)) return `The index has an extension that does not land (${JSON.stringify(name)}).`;
    at += 8 + bytes.readUInt32BE(at + 4);
  }
  return at === bytes.length ? { entries } : "The index ends in the middle of an extension.";
}

function readEntry(bytes: Buffer, at: number, previous: string, { version, idBytes }: Format): { entry: Entry; next: number } {
  const mode = bytes.readUInt32BE(at + 24);
  const flagsAt = at + STAT_BYTES + idBytes;
  const flags = bytes.readUInt16BE(flagsAt);
  const isExtended = (flags & EXTENDED) !== 0;
  const pathAt = flagsAt + (isExtended ? 4 : 2);
  const { path, end } = version === 4 ? readShortened(bytes, pathAt, previous) : readPath(bytes, pathAt);
  // Before version 4 entries are filled up with one to eight NULs to a multiple of eight bytes.
  const next = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  return { entry: { path, mode }, next };
}

function readPath(bytes: Buffer, at: number): { path: string; end: number } {
  const end = bytes.indexOf(0, at);
  if (end < 0) throw new RangeError("no end");
  return { path: bytes.toString("latin1", at, end), end };
}

/** Version 4: how many bytes of the path before to leave out, as in a pack's offsets, and what to add. */
function readShortened(bytes: Buffer, from: number, previous: string): { path: string; end: number } {
  let at = from;
  let byte = bytes.readUInt8(at);
  let removed = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    at += 1;
    byte = bytes.readUInt8(at);
    removed = (removed + 1) * 128 + (byte & 0x7f);
  }
  if (removed > previous.length) throw new RangeError("no such path");
  const { path, end } = readPath(bytes, at + 1);
  return { path: previous.slice(0, previous.length - removed) + path, end };
}

/** As git's own verify_path, and in any spelling that another file system takes for `.git`. */
function isPlainPath(path: string): boolean {
  return Buffer.from(path, "latin1")
    .toString()
    .split("/")
    .every((name) => name !== "" && name !== "." && name !== ".." && !isRepositoryName(name));
}
