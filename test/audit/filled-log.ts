import { join } from "node:path";
import Database from "better-sqlite3";
import { expect } from "vitest";
import { appendAudit, type AuditLog } from "../../src/audit/log/log.ts";
import { verifyAudit } from "../../src/audit/verify/verify.ts";
import { temporaryAudit } from "../support/temporary-store.ts";

/** A log of its own with records 1 to `records`, of three runs. */
export function filledLog(records = 12, log = temporaryAudit()): AuditLog {
  for (let index = 1; index <= records; index += 1) addRecord(log, index);
  return log;
}

export function addRecord(log: AuditLog, index: number): void {
  appendAudit(log, { run: `run-${index % 3}`, payload: { kind: "run-end", ending: "done", detail: `record ${index}` } });
}

/** Changes the database as an attacker would: with SQL, past the store. */
export function tamper(log: AuditLog, sql: string, ...values: (string | number)[]): void {
  const database = new Database(log.store.paths.database);
  expect(database.prepare(sql).run(...values).changes).toBeGreaterThan(0);
  database.close();
}

export function recordAt(log: AuditLog, seq: number): string {
  const row = log.store.audit.at(seq);
  if (row === null) throw new Error(`no record ${seq}`);
  return row.record;
}

export const headOf = (log: AuditLog): string => join(log.store.paths.keys, "audit.head");
export const keyOf = (log: AuditLog): string => join(log.store.paths.keys, "audit.key");
export const seqsOf = (log: AuditLog): readonly number[] => verifyAudit(log).problems.map((problem) => problem.seq);
