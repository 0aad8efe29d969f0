import { closeSync, fstatSync, readSync } from "node:fs";
import { type DirectoryFd, openFile, withParent } from "./tree.ts";

/** The first `maxBytes` of a regular file; null when there is none. */
export function readBytes(root: DirectoryFd, path: string, maxBytes: number): Uint8Array | null {
  return withFile(root, path, (fd) => {
    const buffer = new Uint8Array(Math.min(maxBytes, fstatSync(fd).size));
    return buffer.subarray(0, fill(fd, buffer));
  });
}

/** Calls `use` with an open regular file and its size; null when there is none. */
export function withFile<T>(root: DirectoryFd, path: string, use: (fd: number, size: number) => T): T | null {
  const fd = withParent(root, path, openFile);
  if (fd === null) return null;
  try {
    return use(fd, fstatSync(fd).size);
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
