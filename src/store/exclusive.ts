import Database from "better-sqlite3";

/**
 * How long a process waits for the others' writes before it gives up. A write takes about a millisecond, and a sixth of a second on two CPUs that
 * are overloaded twentyfold: fifty runs that start at once there then wait for each other for a minute (docs/measurements/soaks.md). Shorter than
 * the heartbeat of a sandbox (hardening.ts), because nothing else of this process goes on meanwhile.
 */
const LONGEST_WAIT_MS = 120_000;
/** SQLite itself would try ten times a second, and lose each time against processes that write without a pause. Who waits for long asks less often. */
const LONGEST_PAUSE_MS = 6;
const PATIENT_PAUSE_MS = 30;
const PATIENT_AFTER_MS = 1000;
const BUSY_TIMEOUT_MS = LONGEST_WAIT_MS;

/** Sets how long a single statement waits for another process. */
export function waitForOthers(database: Database.Database): void {
  database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
}

/** Runs `work` in a transaction that nobody else writes beside. Tries often and at odd moments for its turn, so that no process starves. */
export function exclusively<T>(database: Database.Database, work: () => T): T {
  if (database.inTransaction) return database.transaction(work)();
  const sinceMs = performance.now();
  for (;;) {
    let hasBegun = false;
    const begun = database.transaction(() => {
      hasBegun = true;
      waitForOthers(database);
      return work();
    });
    database.pragma("busy_timeout = 0");
    try {
      return begun.immediate();
    } catch (error) {
      if (hasBegun || !isBusy(error) || performance.now() > sinceMs + LONGEST_WAIT_MS) throw error;
    } finally {
      waitForOthers(database);
    }
    pause(1 + Math.random() * (performance.now() > sinceMs + PATIENT_AFTER_MS ? PATIENT_PAUSE_MS : LONGEST_PAUSE_MS));
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
