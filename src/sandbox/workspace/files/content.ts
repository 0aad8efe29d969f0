import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, readSync, type Stats, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type DirectoryFd, linkTarget, openFile, withParent } from "./tree.ts";

/** The first `maxBytes` of a regular file; null when there is none. */
export function readBytes(root: DirectoryFd, path: string, maxBytes: number): Uint8Array | null {
  return withFile(root, path, (fd, { size }) => {
    const buffer = new Uint8Array(Math.min(maxBytes, size));
    return buffer.subarray(0, fill(fd, buffer));
  });
}

/** Calls `use` with an open regular file; null when there is none. */
export function withFile<T>(root: DirectoryFd, path: string, use: (fd: number, stats: Stats) => T): T | null {
  const opened = withParent(root, path, openFile);
  if (opened === null) return null;
  try {
    return use(opened.fd, opened.stats);
  } finally {
    closeSync(opened.fd);
  }
}

/** Copies a regular file to a new one of ours at `target`, absolute, and makes the directories above it; whether there was one to copy. */
export function copyOut(root: DirectoryFd, path: string, target: string): boolean {
  const copied = withFile(root, path, (from) => {
    mkdirSync(dirname(target), { recursive: true });
    const to = openSync(target, "wx", 0o600);
    try {
      const buffer = new Uint8Array(1024 * 1024);
      for (let length = fill(from, buffer); length > 0; length = fill(from, buffer)) writeFileSync(to, buffer.subarray(0, length));
    } finally {
      closeSync(to);
    }
    return true;
  });
  return copied === true;
}

/** The id that git gives to the file or link there; null: there is none, or `mayRead` does not let so many bytes be read. */
export function blobId(root: DirectoryFd, path: string, algorithm: string, mayRead: (bytes: number) => boolean = () => true): string | null {
  const target = linkTarget(root, path);
  const hash = createHash(algorithm);
  if (target !== null) return hash.update(`blob ${String(Buffer.byteLength(target))}\0${target}`).digest("hex");
  return withFile(root, path, (fd, { size }) => {
    if (!mayRead(size)) return null;
    hash.update(`blob ${String(size)}\0`);
    const buffer = new Uint8Array(256 * 1024);
    for (let length = fill(fd, buffer); length > 0; length = fill(fd, buffer)) hash.update(buffer.subarray(0, length));
    return hash.digest("hex");
  });
}

/** Reads until the buffer is full or the file ends; returns the number of bytes. */
export function fill(fd: number, buffer: Uint8Array): number {
  let length = 0;
  while (length < buffer.byteLength) {
    const count = readSync(fd, buffer, length, buffer.byteLength - length, null);
    if (count === 0) break;
    length += count;
  }
  return length;
}
