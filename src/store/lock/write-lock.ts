import Database from "better-sqlite3";
import { AgentError } from "../../base/errors.ts";
import { pidOfPlace, queueIn, type Place } from "./queue.ts";
import { tellerOf } from "./waiting.ts";

/**
 * How long a process waits for its turn before it gives up. A write takes a millisecond on an idle machine, and a sixth of a second on two CPUs that are
 * overloaded twentyfold (docs/measurements/soaks.md).
 */
const LONGEST_WAIT_MS = 120_000;

/** Who is next looks often, and all others so seldom that fifty that wait take no CPU from the one that writes. */
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_OF_NEXT_MS = 10;
const LONGEST_PAUSE_MS = 1_000;
/** Where no queue can be kept, chance decides: tries at odd moments, so that nobody always comes too late. */
const PAUSE_WITHOUT_PLACE_MS = 30;

/** With the same process at the front for so long it is looked at whether it still lives. */
const DEAD_AFTER_MS = 1_000;
/** One that is stopped, or ended in another container, never takes its turn: when the database was free for so long, the next one passes it. */
const STUCK_AFTER_MS = 5_000;

/** Lets one process after the other write, in the order in which they asked. */
export type Writer = {
  /** Runs `work` in a transaction that nobody else writes beside; nothing of it stays when it throws. Within another one it is a part of that. */
  readonly exclusively: <T>(work: () => T) => T;
  /** Runs `work`, of whose transactions only the first waits in the queue. Never within a transaction: they would all be parts of that one. */
  readonly inOneTurn: <T>(work: () => T) => T;
};

/** Sets how long SQLite itself waits, which it does in no order: the opening of a database, and in a few moments a statement that reads. */
export function waitForOthers(database: Database.Database): void {
  database.exec(`PRAGMA busy_timeout = ${LONGEST_WAIT_MS}`);
}

/** Makes the log of a database a write-ahead log. SQLite does not wait where another process is about to do the same: it says at once that it is busy. */
export function useWriteAheadLog(database: Database.Database): void {
  const sinceMs = performance.now();
  for (;;) {
    try {
      database.pragma("journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > sinceMs + LONGEST_WAIT_MS) throw error;
    }
    pause(Math.random() * PAUSE_WITHOUT_PLACE_MS);
  }
}

/** The writer of one open database; all that write to it queue in `queueDirectory`. */
export function writerOf(database: Database.Database, queueDirectory: string): Writer {
  const queue = queueIn(queueDirectory);
  let place: Place | null = null;
  let isInTurn = false;
  let hasWritten = false;

  const begin = (): void => {
    if (!database.open) throw new AgentError("store-unavailable", `The database ${database.name} was closed.`);
    // Nobody may pass those that wait; whose turn it is already passes nobody.
    if (!((hasWritten || queue.isEmpty()) && hasBegun(database))) {
      place ??= queue.join();
      waitUntilBegun(database, place);
    }
    hasWritten = true;
  };
  const inOneTurn = <T>(work: () => T): T => {
    if (database.inTransaction) throw new AgentError("broken-invariant", "Several transactions cannot be parts of one.");
    if (isInTurn) return work();
    isInTurn = true;
    try {
      return work();
    } finally {
      isInTurn = false;
      hasWritten = false;
      place?.leave();
      place = null;
    }
  };
  return {
    inOneTurn,
    exclusively: (work) => {
      if (database.inTransaction) return database.transaction(work)();
      return inOneTurn(() => {
        begin();
        return committed(database, work);
      });
    },
  };
}

/** Nothing but `work` happens between begin and commit: what others wait for is what is written, and the disk. */
function committed<T>(database: Database.Database, work: () => T): T {
  try {
    const value = work();
    if (value instanceof Promise) throw new AgentError("broken-invariant", "A transaction cannot wait for a promise.");
    database.exec("COMMIT");
    return value;
  } finally {
    if (database.inTransaction) database.exec("ROLLBACK");
  }
}

function waitUntilBegun(database: Database.Database, place: Place | null): void {
  const sinceMs = performance.now();
  const tell = tellerOf(`to write to ${database.name}`, sinceMs);
  const stillMs = stillness(sinceMs);
  const freeMs = freedom(database);
  const pauseMs = place === null ? (): number => Math.random() * PAUSE_WITHOUT_PLACE_MS : pace(sinceMs);
  let lookedMs = sinceMs;
  for (;;) {
    const nowMs = performance.now();
    const before = place?.before() ?? [];
    const frontMs = stillMs(before[0], nowMs);
    if ((before.length === 0 || (frontMs > STUCK_AFTER_MS && freeMs(nowMs) > STUCK_AFTER_MS)) && hasBegun(database)) return;
    if (frontMs > DEAD_AFTER_MS && nowMs > lookedMs + DEAD_AFTER_MS) {
      lookedMs = nowMs;
      place?.skipDead();
    }
    if (nowMs > sinceMs + LONGEST_WAIT_MS) throw gaveUp(database.name, before);
    tell({ before: before.length, firstPid: firstPidOf(before) }, nowMs);
    pause(pauseMs(before.length, nowMs));
  }
}

/** Tells how long to do nothing: until about half of those before the next one have written, at the pace in which they did so far. */
function pace(sinceMs: number): (before: number, nowMs: number) => number {
  let most = 0;
  return (before, nowMs) => {
    most = Math.max(most, before);
    const turnMs = (nowMs - sinceMs) / Math.max(1, most - before);
    const [ms, longestMs] = before <= 1 ? [turnMs / 16, LONGEST_PAUSE_OF_NEXT_MS] : [((before - 1) * turnMs) / 2, LONGEST_PAUSE_MS];
    return Math.min(Math.max(ms, SHORTEST_PAUSE_MS), longestMs);
  };
}

/** Tells for how long the same place has been the first, in milliseconds. */
function stillness(sinceMs: number): (front: string | undefined, nowMs: number) => number {
  let known: string | undefined;
  let knownMs = sinceMs;
  return (front, nowMs) => {
    if (front !== known) knownMs = nowMs;
    known = front;
    return nowMs - knownMs;
  };
}

/** Tells for how long the database was free whenever it was looked at, in milliseconds. */
function freedom(database: Database.Database): (nowMs: number) => number {
  let sinceMs: number | null = null;
  return (nowMs) => {
    if (hasBegun(database)) {
      database.exec("ROLLBACK");
      sinceMs ??= nowMs;
    } else sinceMs = null;
    return sinceMs === null ? 0 : nowMs - sinceMs;
  };
}

/** Takes the lock if nobody has it. */
function hasBegun(database: Database.Database): boolean {
  database.exec("PRAGMA busy_timeout = 0");
  try {
    database.exec("BEGIN IMMEDIATE");
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  } finally {
    waitForOthers(database);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

function gaveUp(database: string, before: readonly string[]): AgentError {
  const firstPid = firstPidOf(before);
  const who =
    firstPid === null ? "A process that writes keeps it locked." : `${before.length} others were to write before, the first of them the process ${firstPid}.`;
  const text = `The database ${database} was not free for ${LONGEST_WAIT_MS / 1000} s. ${who} Look whether one of them hangs, and try again.`;
  return new AgentError("store-unavailable", text);
}

function firstPidOf(before: readonly string[]): string | null {
  return before[0] === undefined ? null : pidOfPlace(before[0]);
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
