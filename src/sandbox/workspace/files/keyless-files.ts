import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, type Stats, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newId } from "../../../base/ids.ts";
import { sha256 } from "../../../base/digest.ts";

/** Files whose head held no mark of a key when it was last read, and that nobody changed since. */
export type KeylessFiles = {
  has(path: string, stats: Stats): boolean;
  /** `stats` were taken of the open file, before it was read. */
  add(path: string, stats: Stats): void;
  /** Keeps what was asked for or added since it was opened. A cache that cannot be written is none. */
  save(): void;
};

/**
 * How long a file must have been left alone. A change after the look has a later ctime than any that is this old. A page that a program has
 * mapped for writing and dirtied can change once more under the old ctime, until the kernel writes it back: within 35 seconds.
 */
const SETTLED_MS = 60_000;

/** File systems that change ctime with each write (`statfs(2)`). Others, such as sshfs and FAT, report what somebody set; tmpfs misses what is written through a mapping. */
const KEEPS_CTIME: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0xca451a4e, 0x794c7630]);

/** Device, inode, size, mtime and ctime. */
const FIELDS = 5;
const DIGEST_BYTES = 32;

/** Workspaces that are remembered. */
const MAX_CACHES = 64;

type Asked = {
  readonly rules: string;
  readonly now: number;
  /** Absent: the file system is asked. */ readonly keepsCtime?: ((path: string) => boolean) | undefined;
};

/**
 * What a directory of Warder's state remembers of a root. `rules`: what a head is searched for; with others nothing is remembered. Whoever
 * changes a file cannot set its ctime, so an agent cannot put another file in the place of one that was looked at.
 */
export function openKeylessFiles(directory: string, root: string, asked: Asked): KeylessFiles {
  const file = join(directory, sha256(root).slice(0, 32));
  const known = readKnown(file, asked.rules);
  const kept: number[] = [];
  const devices = new Map<number, boolean>();
  let isNew = false;
  const isSettled = (stats: Stats): boolean => stats.ctimeMs < asked.now - SETTLED_MS && Number.isSafeInteger(stats.ino);
  const keepsCtime = (path: string, device: number): boolean => {
    const found = devices.get(device) ?? (asked.keepsCtime ?? isCtimeKept)(path);
    devices.set(device, found);
    return found;
  };
  return {
    has: (path, stats) => {
      const at = known.offsets.get(stats.ino);
      if (at === undefined || !isSettled(stats)) return false;
      const values = fieldsOf(stats);
      if (!values.every((value, index) => known.values[at + index] === value) || !keepsCtime(path, stats.dev)) return false;
      kept.push(...values);
      return true;
    },
    add: (path, stats) => {
      if (!isSettled(stats) || !keepsCtime(path, stats.dev)) return;
      kept.push(...fieldsOf(stats));
      isNew = true;
    },
    save: () => {
      if (isNew) write(directory, file, sealed(kept, asked.rules));
    },
  };
}

function fieldsOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): readonly number[] {
  return [dev, ino, size, mtimeMs, ctimeMs];
}

type Known = { readonly values: Float64Array; readonly offsets: ReadonlyMap<number, number> };

/** Nothing for a file that is missing, damaged, or of other rules. */
function readKnown(file: string, rules: string): Known {
  const offsets = new Map<number, number>();
  const content = orNull(() => readFileSync(file)) ?? Buffer.alloc(0);
  const body = content.subarray(DIGEST_BYTES);
  if (body.length === 0 || body.length % (FIELDS * 8) !== 0 || !content.subarray(0, DIGEST_BYTES).equals(digestOf(body, rules)))
    return { values: new Float64Array(), offsets };
  const values = new Float64Array(Uint8Array.from(body).buffer);
  for (let at = 0; at < values.length; at += FIELDS) offsets.set(values[at + 1] ?? 0, at);
  return { values, offsets };
}

function sealed(values: readonly number[], rules: string): Buffer {
  const body = Buffer.from(Float64Array.from(values).buffer);
  return Buffer.concat([digestOf(body, rules), body]);
}

function digestOf(body: Buffer, rules: string): Buffer {
  return createHash("sha256").update(rules).update("\0").update(body).digest();
}

/** Whole or not at all, by a name of its own: two sessions may begin at once, and the last one counts. */
function write(directory: string, file: string, content: Buffer): void {
  const draft = join(directory, newId("store"));
  orNull(() => {
    mkdirSync(directory, { mode: 0o700, recursive: true });
    forgetOldest(directory);
    writeFileSync(draft, content, { flag: "wx", mode: 0o600 });
    renameSync(draft, file);
  });
  orNull(() => {
    rmSync(draft, { force: true });
  });
}

/** Also what a process that was killed left half written. */
function forgetOldest(directory: string): void {
  const files = readdirSync(directory).map((name) => join(directory, name));
  if (files.length < MAX_CACHES) return;
  const aged = files.map((path) => ({ path, age: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 })).toSorted((one, other) => one.age - other.age);
  for (const { path } of aged.slice(0, files.length - MAX_CACHES + 1)) rmSync(path, { force: true });
}

function isCtimeKept(path: string): boolean {
  return KEEPS_CTIME.has(orNull(() => statfsSync(path).type) ?? 0);
}

/** Without a cache everything is looked at: a fault of the file system costs time alone. */
function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return null;
    throw error;
  }
}
