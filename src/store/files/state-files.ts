import { chmodSync, closeSync, existsSync, fchmodSync, fsyncSync, linkSync, lstatSync, mkdirSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { openNew, openOwn, refuseIrregular } from "./regular-file.ts";
import { guarded } from "./fault.ts";

/** Where each kind of state lies. All absolute. */
export type StatePaths = {
  readonly directory: string;
  readonly database: string;
  readonly keys: string;
  /** Who waits to write to the database. */
  readonly queue: string;
  /** One directory for each run: overlay, sockets. */
  readonly runs: string;
  /** Full outputs that were cut before they went to a model. */
  readonly artifacts: string;
  /** Which files of a workspace hold no private key; made when it is needed, and may be removed. */
  readonly lookedAt: string;
};

/**
 * Makes the state directory: every directory 0700, the database file 0600. Throws `store-unavailable`
 * when it cannot, or when something else than a directory of this user stands there.
 */
export function prepareStateFiles(directory: string): StatePaths {
  const paths: StatePaths = {
    directory,
    database: join(directory, "warder.db"),
    keys: join(directory, "keys"),
    queue: join(directory, "queue"),
    runs: join(directory, "runs"),
    artifacts: join(directory, "artifacts"),
    lookedAt: join(directory, "looked-at"),
  };
  guarded("store-unavailable", `The state directory ${directory} cannot be used`, () => {
    makeDirectories(directory);
    for (const path of [directory, paths.keys, paths.queue, paths.runs, paths.artifacts]) makePrivate(path);
    // SQLite gives its -wal and -shm files the mode of the database file, so it is made first.
    const file = openOwn(paths.database, "append", "store-unavailable");
    try {
      fchmodSync(file, 0o600);
    } finally {
      closeSync(file);
    }
    for (const suffix of ["-wal", "-shm", "-journal"]) refuseIrregular(`${paths.database}${suffix}`, "store-unavailable");
  });
  return paths;
}

/**
 * Makes a directory (absolute) and those above it that are missing, each 0700. Not by `recursive`: where no directory
 * can be made (below `/proc`) Node.js then never returns. Throws what the system answers.
 */
export function makeDirectories(path: string): void {
  const missing: string[] = [];
  for (let at = path; !existsSync(at); at = dirname(at)) missing.push(at);
  for (const directory of missing.toReversed()) {
    try {
      mkdirSync(directory, { mode: 0o700 });
    } catch (error) {
      // Another process that starts at the same time was first.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/** Makes names in a directory durable: without it, a new or renamed file may be gone after a power cut. */
export function syncDirectory(directory: string): void {
  const handle = openSync(directory, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Stores a secret whole or not at all, mode 0600, durable when it returns. What is there already stays: of two processes the first
 * wins, and the other is told so by `false`.
 */
export function storeOnce(path: string, content: Uint8Array | string): boolean {
  const temporary = `${path}.${process.pid}.new`;
  const file = openNew(temporary);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
    // A link, not a rename: it never replaces what is there.
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    closeSync(file);
    unlinkSync(temporary);
  }
  syncDirectory(dirname(path));
  return true;
}

function makePrivate(path: string): void {
  makeDirectories(path);
  const status = lstatSync(path);
  // A link or another user's directory would let somebody else read keys, or swap them.
  if (!status.isDirectory())
    throw new AgentError("store-unavailable", `The state cannot lie in ${path}, which is a symlink or no directory.`, {
      remedy: "Move it aside, or set WARDER_HOME to a directory of your own.",
    });
  if (process.getuid !== undefined && status.uid !== process.getuid()) {
    throw new AgentError("store-unavailable", `${path} belongs to another user.`, { remedy: "Set WARDER_HOME to a directory of your own." });
  }
  if ((status.mode & 0o077) !== 0) chmodSync(path, 0o700);
}
