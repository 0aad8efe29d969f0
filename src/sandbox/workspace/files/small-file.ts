import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

const { O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_RDONLY } = constants;

/** What a regular file of at most `maxBytes` holds, and its mode; null for anything else, and for what cannot be read. Follows no link. */
export function smallFile(path: string, maxBytes: number): { readonly content: Buffer; readonly mode: number } | null {
  try {
    const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile() || stats.size > maxBytes) return null;
      // One byte more, so that a file that grew meanwhile is seen.
      const content = Buffer.alloc(maxBytes + 1);
      let length = 0;
      for (let read = -1; read !== 0 && length < content.length; length += read) read = readSync(file, content, length, content.length - length, length);
      return length > maxBytes ? null : { content: Buffer.from(content.subarray(0, length)), mode: stats.mode };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return null;
    throw error;
  }
}
