import Database from "better-sqlite3";
import { answerTokenRows, type AnswerTokenRows } from "./rows/answer-tokens.ts";
import { approvalRows, type ApprovalRows } from "./rows/approvals.ts";
import { auditRows, type AuditRows } from "./rows/audit.ts";
import { codeRows, type CodeRows } from "./rows/one-time-codes.ts";
import { useWriteAheadLog, waitForOthers, writerOf, type Writer } from "./lock/write-lock.ts";
import { grantRows, type GrantRows } from "./rows/grants.ts";
import { ledgerRows, type LedgerRows } from "./rows/ledger.ts";
import { memoryRows, type MemoryRows } from "./rows/memories.ts";
import { migrate } from "./migrations.ts";
import { outboxRows, type OutboxRows } from "./rows/outbox.ts";
import { policyRows, type PolicyRows } from "./rows/policies.ts";
import { runRows, type RunRows } from "./rows/runs.ts";
import { scheduleRows, type ScheduleRows } from "./rows/schedule.ts";
import { prepareStateFiles, type StatePaths } from "./files/state-files.ts";
import { statementsInTurn } from "./lock/statements.ts";
import { stepRows, type StepRows } from "./rows/steps.ts";
import { stopRows, type StopRows } from "./rows/stop-switch.ts";
import { guarded } from "./files/fault.ts";

/** Warder's durable state. Several processes have it open at once. */
export type Store = {
  readonly paths: StatePaths;
  readonly answerTokens: AnswerTokenRows;
  readonly audit: AuditRows;
  readonly approvals: ApprovalRows;
  readonly codes: CodeRows;
  readonly grants: GrantRows;
  readonly ledger: LedgerRows;
  readonly memories: MemoryRows;
  readonly outbox: OutboxRows;
  readonly policies: PolicyRows;
  readonly runs: RunRows;
  readonly schedule: ScheduleRows;
  readonly steps: StepRows;
  readonly stop: StopRows;
  /**
   * Runs `work` alone, when it is this process's turn: no other process writes meanwhile, and all its writes land or none. Durable when it
   * returns. Nothing else of this process goes on until then (`onWait`). A fault of disk or database becomes `store-unavailable`.
   */
  exclusively<T>(work: () => T): T;
  /** Runs `work`, of whose `exclusively` only the first waits for its turn. Never within `exclusively`. */
  inOneTurn<T>(work: () => T): T;
  close(): void;
};

/**
 * Opens the state below `stateDirectory` (absolute), and makes it when it is not there: `warder.db`
 * (SQLite, WAL), `keys/`, `queue/`, `runs/`, `artifacts/`, directories 0700 and files 0600. Throws
 * `store-unavailable` with what to do.
 */
export function openStore(stateDirectory: string): Store {
  const paths = prepareStateFiles(stateDirectory);
  const { database, writer } = guarded("store-unavailable", `The database ${paths.database} cannot be opened`, () => openDatabase(paths));
  const exclusively = <T>(work: () => T): T => guarded("store-unavailable", "The database cannot be written", () => writer.exclusively(work));
  const statements = statementsInTurn(database, exclusively);
  return {
    paths,
    answerTokens: answerTokenRows(statements),
    audit: auditRows(statements),
    approvals: approvalRows(statements),
    codes: codeRows(statements),
    grants: grantRows(statements),
    ledger: ledgerRows(statements),
    memories: memoryRows(statements),
    outbox: outboxRows(statements),
    policies: policyRows(statements),
    runs: runRows(statements),
    schedule: scheduleRows(statements),
    steps: stepRows(statements),
    stop: stopRows(statements),
    exclusively,
    inOneTurn: writer.inOneTurn,
    close: () => {
      database.close();
    },
  };
}

function openDatabase(paths: StatePaths): { readonly database: Database.Database; readonly writer: Writer } {
  const database = new Database(paths.database);
  try {
    waitForOthers(database);
    useWriteAheadLog(database);
    // A commit that returned survives a power cut: a ruling must be on disk before its call runs.
    database.pragma("synchronous = FULL");
    // Moving the write-ahead log into the database takes several times as long as a write. An audit record fills three pages, so one in a thousand waits for it.
    database.pragma("wal_autocheckpoint = 3000");
    database.pragma("trusted_schema = OFF");
    const writer = writerOf(database, paths.queue);
    migrate(database, writer);
    return { database, writer };
  } catch (error) {
    database.close();
    throw error;
  }
}
