import { closeSync, readSync } from "node:fs";
import { type DirectoryFd, openFile, withParent } from "./tree.ts";

const CHUNK_BYTES = 256 * 1024;

/** Whether a file is there with the same bytes in both trees. */
export function hasSameContent(one: DirectoryFd, other: DirectoryFd, path: string): boolean {
  return withFile(one, path, (first) => withFile(other, path, (second) => isSame(first, second)) ?? false) ?? false;
}

/** The first `maxBytes` of a regular file; null when there is none. */
export function readBytes(root: DirectoryFd, path: string, maxBytes: number): Uint8Array | null {
  return withFile(root, path, (fd) => {
    const buffer = new Uint8Array(maxBytes);
    return buffer.subarray(0, fill(fd, buffer));
  });
}

/** Calls `use` with an open regular file; null when there is none. */
export function withFile<T>(root: DirectoryFd, path: string, use: (fd: number) => T): T | null {
  const fd = withParent(root, path, openFile);
  if (fd === null) return null;
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
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

function isSame(one: number, other: number): boolean {
  const first = new Uint8Array(CHUNK_BYTES);
  const second = new Uint8Array(CHUNK_BYTES);
  for (;;) {
    const length = fill(one, first);
    if (length !== fill(other, second)) return false;
    if (length === 0) return true;
    if (Buffer.compare(first.subarray(0, length), second.subarray(0, length)) !== 0) return false;
  }
}
