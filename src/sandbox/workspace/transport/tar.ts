import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import type { SandboxUser } from "../../mounts.ts";

/** One entry of an archive; its path is relative, and unique. */
export type TarEntry = SandboxUser & {
  readonly path: string;
  readonly mode: number;
  /** Absent: now. */
  readonly mtimeMs?: number;
} & (
    | { readonly type: "directory" }
    | { readonly type: "link"; readonly target: string }
    /** `source`: where it is read, never through a link. */
    | { readonly type: "file"; readonly size: number; readonly source: string }
  );

const BLOCK = 512;
/** Of a user in the fixed part of a head. */
const MAX_ID = 0o7777777;
const CHUNK_BYTES = 1024 * 1024;
const TYPES = { file: "0", link: "2", directory: "5" } as const;

/** Writes an archive as POSIX has it (pax): names of any length, times to the microsecond. Throws `sandbox-unavailable` for a file that cannot be read. */
export async function* tarOf(entries: Iterable<TarEntry>): AsyncGenerator<Buffer> {
  // Small entries are sent together.
  let pending: Buffer[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const parts = entry.type === "file" ? [headOf(entry), ...contentOf(entry)] : [headOf(entry)];
    for (const part of parts) {
      pending.push(part);
      bytes += part.byteLength;
      if (bytes < CHUNK_BYTES) continue;
      yield Buffer.concat(pending);
      pending = [];
      bytes = 0;
    }
  }
  yield Buffer.concat([...pending, Buffer.alloc(2 * BLOCK)]);
}

function headOf(entry: TarEntry): Buffer {
  const { path, mtimeMs = Date.now() } = entry;
  const target = entry.type === "link" ? entry.target : "";
  const records = [
    ...(isShort(path) ? [] : [record("path", path)]),
    ...(isShort(target) ? [] : [record("linkpath", target)]),
    ...(Number.isInteger(mtimeMs / 1000) && mtimeMs >= 0 ? [] : [record("mtime", (mtimeMs / 1000).toFixed(6))]),
    ...(entry.uid <= MAX_ID ? [] : [record("uid", String(entry.uid))]),
    ...(entry.gid <= MAX_ID ? [] : [record("gid", String(entry.gid))]),
  ];
  const size = entry.type === "file" ? entry.size : 0;
  const seconds = Math.max(0, Math.floor(mtimeMs / 1000));
  const head = header({ ...entry, name: isShort(path) ? path : "entry", target: isShort(target) ? target : "", size, seconds, type: TYPES[entry.type] });
  if (records.length === 0) return head;
  const extended = Buffer.concat(records);
  return Buffer.concat([
    header({ uid: 0, gid: 0, mode: 0o600, name: "pax", target: "", size: extended.byteLength, seconds, type: "x" }),
    extended,
    padding(extended.byteLength),
    head,
  ]);
}

type Header = SandboxUser & {
  readonly name: string;
  readonly mode: number;
  readonly size: number;
  readonly seconds: number;
  readonly type: string;
  readonly target: string;
};

function header({ name, mode, uid, gid, size, seconds, type, target }: Header): Buffer {
  const block = Buffer.alloc(BLOCK);
  const number = (value: number, at: number, length: number): void => void block.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
  block.write(name, 0);
  number(mode & 0o7777, 100, 8);
  number(Math.min(uid, MAX_ID), 108, 8);
  number(Math.min(gid, MAX_ID), 116, 8);
  number(size, 124, 12);
  number(seconds, 136, 12);
  block.write("        ", 148);
  block.write(type, 156);
  block.write(target, 157);
  block.write("ustar\u000000", 257);
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** `LENGTH KEY=VALUE\n`, where the length counts its own digits. */
function record(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (rest + String(length).length !== length) length = rest + String(length).length;
  return Buffer.from(`${String(length)} ${key}=${value}\n`);
}

const isShort = (text: string): boolean => text.length <= 100 && /^[\x20-\x7E]*$/u.test(text);

const padding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/** As many bytes as its head says, whatever becomes of the file meanwhile: then it conflicts when a change of it lands. */
function* contentOf({ source, size }: Extract<TarEntry, { readonly type: "file" }>): Generator<Buffer> {
  const file = openRegular(source);
  try {
    for (let at = 0; at < size;) {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - at));
      readSync(file, chunk, 0, chunk.byteLength, at);
      at += chunk.byteLength;
      yield chunk;
    }
  } finally {
    closeSync(file);
  }
  yield padding(size);
}

function openRegular(source: string): number {
  try {
    const file = openSync(source, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
  } catch (error) {
    throw new AgentError(
      "sandbox-unavailable",
      `${makeVisibleLine(source)} cannot be sent to the engine: ${(error as NodeJS.ErrnoException).code ?? "unreadable"}.`,
      {
        cause: error,
        remedy: "Make it readable, remove it, or name it below `files.forbidden` in the policy.",
      },
    );
  }
  throw new AgentError("sandbox-unavailable", `${makeVisibleLine(source)} became something else while it was sent to the engine.`, { remedy: "Start again." });
}
