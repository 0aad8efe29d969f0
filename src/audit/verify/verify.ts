import type { KeyObject } from "node:crypto";
import type { AuditBaseRow, AuditRow } from "../../store/rows/audit.ts";
import { guarded } from "../../store/files/fault.ts";
import { archivesOf, type ArchiveState } from "./archives.ts";
import { isGenuineBase, type AuditBase } from "../chain/base.ts";
import { auditChain, type Report } from "../chain/chain.ts";
import { claimedSequence, readHead, type AuditHead, type HeadReading } from "../chain/head.ts";
import { KEY_ADVICE, readAuditKey } from "../chain/key.ts";
import { isOneTransactionAhead, MAX_TOGETHER } from "../chain/together.ts";
import { genesisHash, settleAudit, type AuditLog } from "../log/log.ts";
import { openCalls, type OpenCall } from "./open-calls.ts";

/** What is wrong, and at which record; 0 stands before the first. */
export type AuditProblem = { readonly seq: number; readonly what: string };

export type AuditReport = {
  readonly isIntact: boolean;
  /** How many records the log has, without those that were archived. */
  readonly records: number;
  /** In the order of the log. */
  readonly problems: readonly AuditProblem[];
  /** Calls without an end. A killed process leaves one; that is no tampering. */
  readonly interrupted: readonly OpenCall[];
  /** What was archived, the newest first. A file that is not at hand is no tampering; one that was touched is. */
  readonly archives: readonly ArchiveState[];
};

const PAGE_ROWS = 1_000;
const MAX_PROBLEMS = 200;

/**
 * Checks every record against its hash, its place and the record before, and the end against the head.
 * Finds whatever was changed, removed, swapped or restored since, and says where. Throws
 * `audit-unavailable` only when there is nothing to read.
 */
export function verifyAudit(log: AuditLog): AuditReport {
  settleAudit(log);
  const problems: AuditProblem[] = [];
  const report = (seq: number, what: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push({ seq, what });
    else if (problems.length === MAX_PROBLEMS) problems.push({ seq, what: "more problems follow; they are not listed" });
  };
  const keys = log.store.paths.keys;
  const key = guarded("audit-unavailable", "The audit key cannot be read", () => readAuditKey(keys));
  // Head and end are read together: between two processes' steps they differ by one transaction, never by more.
  const readEnds = (): Ends => {
    const reading = key === null ? null : readHead(keys, key);
    const last = log.store.audit.end();
    const ahead = reading?.kind === "head" ? log.store.audit.page(reading.head.seq, last?.seq ?? 0, MAX_TOGETHER + 1) : [];
    return { base: log.store.audit.base(), first: log.store.audit.first(), last, ahead, reading };
  };
  const { base, first, last, ahead, reading } = guarded("audit-unavailable", "The audit log cannot be read", () => log.store.exclusively(readEnds));
  if (key === null || reading === null) {
    const claimed = claimedSequence(keys) ?? 0;
    if (last !== null || claimed !== 0) report(0, `the audit key is gone from ${keys}. ${KEY_ADVICE}`);
    return { isIntact: problems.length === 0, records: last?.seq ?? 0, problems, interrupted: [], archives: [] };
  }
  judgeBegin(first, base, report);
  const walked = walk(log, key, { lastSeq: last?.seq ?? 0, base: genuineBase(base, key, report) }, report);
  judgeHead(reading, { last, ahead }, key, report);
  // Another process archived meanwhile: what was read first is not there any more, and the log has to be read anew.
  if (log.store.audit.base()?.seq !== base?.seq) return verifyAudit(log);
  return { isIntact: problems.length === 0, ...walked, problems };
}

type Ends = {
  readonly base: AuditBaseRow | null;
  /** A sequence. */
  readonly first: number | null;
  readonly last: AuditHead | null;
  /** Behind the head, up to one more than one transaction writes. */
  readonly ahead: readonly AuditRow[];
  readonly reading: HeadReading | null;
};

type Walked = Pick<AuditReport, "records" | "interrupted" | "archives">;

function walk(log: AuditLog, key: KeyObject, { lastSeq, base }: { readonly lastSeq: number; readonly base: AuditBase | null }, report: Report): Walked {
  const calls = openCalls();
  const archives = archivesOf(base, key, report);
  const chain = auditChain(base ?? { seq: 0, hash: genesisHash(key) }, key, report);
  while (chain.seq() < lastSeq) {
    const after = chain.seq();
    const rows = guarded("audit-unavailable", `The audit log cannot be read after record ${after}`, () => log.store.audit.page(after, lastSeq, PAGE_ROWS));
    if (rows.length === 0) break;
    for (const row of rows) {
      const record = chain.take(row);
      if (record === null) continue;
      calls.take(record);
      archives.take(record);
    }
  }
  return { records: chain.records(), interrupted: calls.list(), archives: archives.list() };
}

/** Where the records in the database begin. A base that Warder did not write counts as none: then the records before it are missing. */
function genuineBase(row: AuditBaseRow | null, key: KeyObject, report: Report): AuditBase | null {
  if (row === null) return null;
  if (isGenuineBase(row, key)) return { seq: row.seq, hash: row.hash };
  report(row.seq, "the mark that says up to where the log was archived was altered");
  return null;
}

/** No chain leads to a row that stands where the log does not begin yet, and yet who searches the log would be shown it. */
function judgeBegin(first: number | null, base: AuditBaseRow | null, report: Report): void {
  if (first === null || first > (base?.seq ?? 0)) return;
  report(first, first < 1 ? "a record stands before the first one" : "a record stands in the place of one that was archived");
}

function judgeHead(reading: HeadReading, { last, ahead }: Pick<Ends, "last" | "ahead">, key: KeyObject, report: Report): void {
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
  if (!isOneTransactionAhead(ahead, head, key))
    report(head.seq, `the head stands at record ${head.seq} and the log goes on to ${end}: the head is an older copy`);
}
