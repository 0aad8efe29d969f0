import type { KeyObject } from "node:crypto";
import type { AuditRow } from "../../store/rows/audit.ts";
import { authenticate } from "./key.ts";
import { parsedRecord } from "./record.ts";
import type { AuditRecord } from "../entries/entry.ts";

/** Says what is wrong, and at which record. */
export type Report = (seq: number, what: string) => void;

/** Follows rows in their order, from what the first must follow. */
export type AuditChain = {
  /** Judges the next row. Gives its record, null when it is not in its form. */
  take(row: AuditRow): AuditRecord | null;
  /** The sequence of the last row taken. */
  seq(): number;
  records(): number;
};

/** `start`: the sequence and the hash that the first row must follow. */
export function auditChain(start: { readonly seq: number; readonly hash: string }, key: KeyObject, report: Report): AuditChain {
  // What the next record may name as its predecessor: the true hash of the record before, and the stored one.
  let expected: readonly string[] = [start.hash];
  let { seq } = start;
  let records = 0;
  return {
    take: (row) => {
      const isAfterGap = row.seq !== seq + 1;
      if (isAfterGap) report(seq + 1, row.seq === seq + 2 ? `record ${seq + 1} is missing` : `records ${seq + 1} to ${row.seq - 1} are missing`);
      const record = parsedRecord(row);
      expected = judgeRow({ row, record }, isAfterGap ? null : expected, key, report);
      seq = row.seq;
      records += 1;
      return record;
    },
    seq: () => seq,
    records: () => records,
  };
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
