import Database from "better-sqlite3";
import { AgentError, type ErrorCode } from "../../base/errors.ts";

// A database alone, from a copy or new, does not agree with the head of the log beside it.
const DAMAGED =
  "Put the whole state directory back from a copy (database and keys belong together), or move it aside, and keep it, to start anew: without grants, jobs, enrolled people and what was spent of budgets.";

const ANOTHER_PLACE = "set WARDER_HOME to a directory of yours outside every workspace.";

/** By the code of SQLite or of the system: what is wrong, and what to do. */
const FAULTS: Readonly<Record<string, readonly [problem: string, remedy: string]>> = {
  SQLITE_FULL: ["the disk is full", "Free some space and try again."],
  SQLITE_READONLY: ["the disk or the file is read-only", "Make it writable for this user."],
  SQLITE_CANTOPEN: ["the file cannot be opened", "Check its owner and mode, and those of its directory."],
  SQLITE_PERM: ["the file cannot be opened", "Check its owner and mode."],
  SQLITE_IOERR: ["the disk reported an error", "Check the disk and its free space."],
  SQLITE_CORRUPT: ["the database is damaged", DAMAGED],
  SQLITE_NOTADB: ["the file is no database", DAMAGED],
  SQLITE_BUSY: ["another process held the database for too long", "Try again."],
  ENOSPC: ["the disk is full", "Free some space and try again."],
  EROFS: ["the disk is read-only", `Make it writable, or ${ANOTHER_PLACE}`],
  EACCES: ["this user may not write there", `Check owner and mode, or ${ANOTHER_PLACE}`],
  EPERM: ["this user may not write there", `Check owner and mode, or ${ANOTHER_PLACE}`],
};

/** Runs `work` on a state file. A disk or database error becomes an AgentError of `code` that says what to do; any other error passes through. */
export function guarded<T>(code: ErrorCode, what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Database.SqliteError) && !isSystemFault(error)) throw error;
    const [problem, remedy] = explain(error);
    throw new AgentError(code, `${what}: ${problem}.`, remedy === undefined ? { cause: error } : { cause: error, remedy });
  }
}

/** Whether the system answered so to a call: ENOSPC, EACCES and their like. */
export function isSystemFault(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  return error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string";
}

function explain(error: Error & { readonly code: string }): readonly [problem: string, remedy?: string] {
  const name = error.code;
  // Extended result codes (SQLITE_IOERR_WRITE) have the primary code as their beginning.
  const known = Object.keys(FAULTS).find((prefix) => name === prefix || name.startsWith(`${prefix}_`));
  const answer = `${error instanceof Database.SqliteError ? "SQLite says " : ""}${error.message}`;
  const fault = known === undefined ? undefined : FAULTS[known];
  return fault === undefined ? [answer] : [`${fault[0]} (${answer})`, fault[1]];
}
