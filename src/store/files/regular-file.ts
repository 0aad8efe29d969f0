import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, rmSync } from "node:fs";
import { AgentError, type ErrorCode } from "../../base/errors.ts";

const { O_APPEND, O_CREAT, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

/** `append` makes a file that is missing, mode 0600. */
const FLAGS = { read: O_RDONLY, change: O_RDWR, append: O_WRONLY | O_APPEND | O_CREAT } as const;

export type FileUse = keyof typeof FLAGS;

/**
 * Opens a regular file, and never waits. A FIFO would block until somebody opened its other end, and reading a device may never end. Throws what the
 * system says, and an error of `code` for anything but a regular file.
 */
export function openRegular(path: string, use: FileUse, code: ErrorCode): number {
  return opened(path, FLAGS[use], code);
}

/** The same for one of Warder's own files, which may not be a symlink: it would be read and written where somebody else chose. */
export function openOwn(path: string, use: FileUse, code: ErrorCode): number {
  return opened(path, FLAGS[use] | O_NOFOLLOW, code);
}

/** The bytes of a file that a person named. Throws what the system answers, and `code` for anything else than a regular file. */
export function readRegular(path: string, code: ErrorCode): Buffer {
  const file = openRegular(path, "read", code);
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** The bytes of a file of Warder's own; null when there is none. */
export function readOwn(path: string, code: ErrorCode): Buffer | null {
  const file = ifThere(() => openOwn(path, "read", code));
  if (file === null) return null;
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Creates one of Warder's own files, mode 0600. Whatever stands in its place (a killed process leaves one) is removed, never followed or opened. */
export function openNew(path: string): number {
  rmSync(path, { force: true });
  return openSync(path, "wx", 0o600);
}

/** Throws `code` where something else than a regular file stands, which others (SQLite) are about to open. */
export function refuseIrregular(path: string, code: ErrorCode): void {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status !== undefined && !status.isFile()) throw irregular(path, code);
}

/** What `work` gives; null where there is no such file. */
export function ifThere<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

function opened(path: string, flags: number, code: ErrorCode): number {
  let file: number;
  try {
    file = openSync(path, flags | O_NONBLOCK | O_NOCTTY, 0o600);
  } catch (error) {
    // A FIFO that nobody reads, a socket, a device without a driver; a directory that is to be written; a link.
    const isIrregular = error instanceof Error && "code" in error && ["ENXIO", "ENODEV", "EISDIR", "ELOOP"].includes(String(error.code));
    throw isIrregular ? irregular(path, code) : error;
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw irregular(path, code);
}

function irregular(path: string, code: ErrorCode): AgentError {
  return new AgentError(code, `${path} is no regular file: a symlink, a directory, a FIFO or a device stands there.`, {
    remedy: "Find out who put it there, and move it aside.",
  });
}
