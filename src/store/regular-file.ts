import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { AgentError, type ErrorCode } from "../base/errors.ts";

const { O_APPEND, O_CREAT, O_NOCTTY, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

const FLAGS = { read: O_RDONLY, change: O_RDWR, append: O_WRONLY | O_APPEND | O_CREAT } as const;

/**
 * Opens a file that may only be a regular one, and never waits: to open a FIFO waits for its other end, and what was put in the place of a file would hold
 * up whoever looks at it for ever. `append` makes a file that is missing, mode 0600. Throws what the system answers, and `code` for anything else than a
 * regular file.
 */
export function openRegular(path: string, how: keyof typeof FLAGS, code: ErrorCode): number {
  const file = openWithoutWaiting(path, how, code);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw notRegular(path, code);
}

function openWithoutWaiting(path: string, how: keyof typeof FLAGS, code: ErrorCode): number {
  try {
    return openSync(path, FLAGS[how] | O_NONBLOCK | O_NOCTTY, 0o600);
  } catch (error) {
    // A FIFO that nobody reads, a socket, a directory that is to be written.
    const isOther = error instanceof Error && "code" in error && (error.code === "ENXIO" || error.code === "EISDIR");
    throw isOther ? notRegular(path, code) : error;
  }
}

function notRegular(path: string, code: ErrorCode): AgentError {
  return new AgentError(code, `${path} is no regular file (a directory, a FIFO or a device stands there). Look who put it there, and move it away.`);
}
