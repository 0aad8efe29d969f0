import type { KeyObject } from "node:crypto";
import type { AuditRow } from "../store/audit-rows.ts";
import { guarded } from "../store/store-fault.ts";
import { claimedSequence, readHead, type HeadReading } from "./audit-head.ts";
import { authenticate, readAuditKey } from "./audit-key.ts";
import { genesisHash, isCommittedButUncovered, type AuditLog } from "./audit-log.ts";
import { parsedRecord } from "./audit-record.ts";
import type { AuditRecord } from "./entry.ts";
import { openCalls, type OpenCall } from "./open-calls.ts";

/** What is wrong, and at which record; 0 stands before the first. */
export type AuditProblem = { readonly seq: number; readonly what: string };

export type AuditReport = {
  readonly isIntact: boolean;
  /** How many records the log has. */
  readonly records: number;
  /** In the order of the log. */
  readonly problems: readonly AuditProblem[];
  /** Calls without an end. A killed process leaves one; that is no tampering. */
  readonly interrupted: readonly OpenCall[];
};

const PAGE_ROWS = 1_000;
const MAX_PROBLEMS = 200;

/**
 * Checks every record against its hash, its place and the record before, and the end against the head.
 * Finds whatever was changed, removed, swapped or restored since, and says where. Throws
 * `audit-unavailable` only when there is nothing to read.
 */
export function verifyAudit(log: AuditLog): AuditReport {
  const problems: AuditProblem[] = [];
  const report = (seq: number, what: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push({ seq, what });
    else if (problems.length === MAX_PROBLEMS) problems.push({ seq, what: "more problems follow; they are not listed" });
  };
  const keys = log.store.paths.keys;
  const key = guarded("audit-unavailable", "The audit key cannot be read", () => readAuditKey(keys));
  // Head and end are read together: between two processes' steps they differ by one, never by more.
  const { last, reading } = guarded("audit-unavailable", "The audit log cannot be read", () =>
    log.store.exclusively(() => ({ last: log.store.audit.last(), reading: key === null ? null : readHead(keys, key) })),
  );
  if (key === null || reading === null) {
    const claimed = claimedSequence(keys) ?? 0;
    if (last !== null || claimed !== 0) report(0, `the audit key is gone from ${keys}; nothing can be verified`);
    return { isIntact: problems.length === 0, records: last?.seq ?? 0, problems, interrupted: [] };
  }
  const walked = walk(log, key, last?.seq ?? 0, report);
  judgeHead(reading, last, key, report);
  return { isIntact: problems.length === 0, records: walked.records, problems, interrupted: walked.interrupted };
}

type Report = (seq: number, what: string) => void;

function walk(log: AuditLog, key: KeyObject, lastSeq: number, report: Report): { readonly records: number; readonly interrupted: readonly OpenCall[] } {
  const calls = openCalls();
  // What the next record may name as its predecessor: the true hash of the record before, and the stored one.
  let expected: readonly string[] = [genesisHash(key)];
  let seq = 0;
  let records = 0;
  while (seq < lastSeq) {
    const rows = guarded("audit-unavailable", `The audit log cannot be read after record ${seq}`, () => log.store.audit.page(seq, lastSeq, PAGE_ROWS));
    if (rows.length === 0) break;
    for (const row of rows) {
      if (row.seq !== seq + 1) report(seq + 1, row.seq === seq + 2 ? `record ${seq + 1} is missing` : `records ${seq + 1} to ${row.seq - 1} are missing`);
      const isAfterGap = row.seq !== seq + 1;
      const record = parsedRecord(row);
      expected = judgeRow({ row, record }, isAfterGap ? null : expected, key, report);
      if (record !== null) calls.take(record);
      seq = row.seq;
      records += 1;
    }
  }
  return { records, interrupted: calls.list() };
}

type ReadRow = { readonly row: AuditRow; readonly record: AuditRecord | null };

function judgeRow({ row, record }: ReadRow, expected: readonly string[] | null, key: KeyObject, report: Report): readonly string[] {
  const hash = authenticate(key, "record", row.record);
  if (hash !== row.hash)
    report(
      row.seq,
      row.seq === 1 ? "the record does not match its hash: it was changed, or the key was replaced" : "the record does not match its hash: it was changed",
    );
  if (record === null) report(row.seq, "the record is not in its form");
  else if (record.seq !== row.seq) report(row.seq, `the record was written as number ${record.seq} and stands in another place`);
  else if (expected !== null && !expected.includes(record.previous)) report(row.seq, "the record does not follow the one before it");
  return [hash, row.hash];
}

function judgeHead(reading: HeadReading, last: AuditRow | null, key: KeyObject, report: Report): void {
  const end = last?.seq ?? 0;
  if (reading.kind === "missing") return report(end, "the head of the log is gone");
  if (reading.kind === "altered") return report(end, `the head of the log was altered: ${reading.what}`);
  const { head } = reading;
  if (head.seq > end) {
    const missing = head.seq - end === 1 ? `record ${head.seq} was` : `records ${end + 1} to ${head.seq} were`;
    return report(end + 1, `the end was cut off: ${missing} written and ${head.seq - end === 1 ? "is" : "are"} gone, or the database is an older copy`);
  }
  if (last === null || (head.seq === end && head.hash === last.hash)) return;
  if (head.seq === end) return report(end, "the last record is not the one that the head names");
  if (!isCommittedButUncovered(last, head, key))
    report(head.seq, `the head stands at record ${head.seq} and the log goes on to ${end}: the head is an older copy`);
}
