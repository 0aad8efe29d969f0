import Database from "better-sqlite3";
import { AgentError, type ErrorCode } from "../../base/errors.ts";

// A database alone, from a copy or new, does not agree with the head of the log beside it.
const DAMAGED =
  "Put the whole state directory back from a copy (database and keys belong together), or move it aside, and keep it, to start anew: without grants, jobs, enrolled people and what was spent of budgets.";

const REMEDY: Readonly<Record<string, string>> = {
  SQLITE_FULL: "The disk is full. Free some space and try again.",
  SQLITE_READONLY: "The disk or the file is read-only. Make it writable for this user.",
  SQLITE_CANTOPEN: "The file cannot be opened. Check its owner and mode, and those of its directory.",
  SQLITE_PERM: "The file cannot be opened. Check its owner and mode.",
  SQLITE_IOERR: "The disk reported an error. Check the disk and its free space.",
  SQLITE_CORRUPT: `The database is damaged. ${DAMAGED}`,
  SQLITE_NOTADB: `The file is no database. ${DAMAGED}`,
  SQLITE_BUSY: "Another process held the database for too long. Try again.",
  ENOSPC: "The disk is full. Free some space and try again.",
  EROFS: "The disk is read-only. Make it writable.",
  EACCES: "This user may not write there. Check owner and mode.",
  EPERM: "This user may not write there. Check owner and mode.",
};

/** Runs `work` on a state file; a fault of disk or database becomes an AgentError of `code` that says what to do. Any other error stays what it is. */
export function guarded<T>(code: ErrorCode, what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Database.SqliteError) && !isSystemFault(error)) throw error;
    throw new AgentError(code, `${what}: ${remedyOf(error)}`, { cause: error });
  }
}

/** Whether the system answered so to a call: ENOSPC, EACCES and their like. */
export function isSystemFault(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  return error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string";
}

function remedyOf(error: Error & { readonly code: string }): string {
  const name = error.code;
  // Extended result codes (SQLITE_IOERR_WRITE) have the primary code as their beginning.
  const known = Object.keys(REMEDY).find((prefix) => name === prefix || name.startsWith(`${prefix}_`));
  const remedy = known === undefined ? "" : ` ${REMEDY[known]}`;
  return `${error instanceof Database.SqliteError ? "SQLite says " : ""}${error.message}.${remedy}`;
}
