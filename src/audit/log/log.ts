import { createSecretKey, type KeyObject } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { canonicalJson } from "../../base/digest.ts";
import { AgentError } from "../../base/errors.ts";
import type { AuditRow } from "../../store/rows/audit.ts";
import { storeOnce, syncDirectory } from "../../store/files/state-files.ts";
import { guarded } from "../../store/files/fault.ts";
import type { Store } from "../../store/store.ts";
import { advanceHead, claimedSequence, createHead, readHead, type AuditHead } from "../chain/head.ts";
import { auditKeyPath, authenticate, KEY_ADVICE, newAuditKey, readAuditKey } from "../chain/key.ts";
import type { AuditPayload } from "../entries/entry.ts";
import { recordOf } from "../chain/record.ts";
import type { Redact } from "../entries/redact.ts";

/** The audit log over one store; open one for each process. */
export type AuditLog = {
  readonly store: Store;
  readonly clock: Clock;
  /** Takes secrets that are known out of every text of a record. */ readonly redact?: Redact;
};

export type AuditEntry = { readonly run: string | null; readonly payload: AuditPayload };

const DISAGREES = "The audit log cannot be continued: it does not agree with its head";
const ADVICE =
  "Nothing runs before this is explained: see `warder audit verify`. Then put the whole state directory back from a copy, or move it aside, and keep it, to start anew.";

/**
 * Adds one record, and returns where the log then ends. When it returns, the record is on disk and the head outside the database covers it; when
 * it throws (`audit-unavailable`: full or read-only disk, a log that was tampered with), what was to be
 * recorded must not happen.
 *
 * Database first, head second, and never more than one record between them: docs/audit.md argues why a
 * process that is killed at any point leaves neither a hole nor a false alarm.
 */
export function appendAudit(log: AuditLog, entry: AuditEntry): AuditHead {
  return appendAuditWith(log, () => entry);
}

/** Appends a record in the same transaction as other changes of the store: all of them land, or none. Null: `make` found nothing (left) to record. */
export function appendAuditWith(log: AuditLog, make: (key: KeyObject) => AuditEntry): AuditHead;
export function appendAuditWith(log: AuditLog, make: (key: KeyObject) => AuditEntry | null): AuditHead | null;
export function appendAuditWith(log: AuditLog, make: (key: KeyObject) => AuditEntry | null): AuditHead | null {
  return unavailableOnFault(() =>
    log.store.inOneTurn(() => {
      const added = log.store.exclusively(() => {
        const settled = settledHead(log);
        const entry = make(settled.key);
        if (entry === null) return null;
        const next = nextRow(log, entry, settled.head, settled.key);
        log.store.audit.add(next);
        return { end: { seq: next.seq, hash: next.hash }, key: settled.key };
      });
      if (added === null) return null;
      const { end, key } = added;
      // Another process may come between commit and here, cover this record and add its own: never back.
      log.store.exclusively(() => coverUpTo(log, end, key));
      return end;
    }),
  );
}

/** The hash that the first record follows. */
export function genesisHash(key: KeyObject): string {
  return authenticate(key, "genesis", "");
}

function nextRow(log: AuditLog, entry: AuditEntry, head: AuditHead, key: KeyObject): AuditRow {
  const payload = log.redact === undefined ? entry.payload : redactedPayload(entry.payload, log.redact);
  const seq = head.seq + 1;
  // The envelope is written last: no payload can name another sequence, time, run or predecessor.
  const record = canonicalJson({ ...payload, seq, at: new Date(log.clock.nowMs()).toISOString(), run: entry.run, previous: head.hash });
  return { seq, record, hash: authenticate(key, "record", record) };
}

function redactedPayload(payload: AuditPayload, redact: Redact): AuditPayload {
  const clean = (value: unknown): unknown => {
    if (typeof value === "string") return redact(value);
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [redact(key), clean(entry)]));
  };
  return clean(payload) as AuditPayload;
}

/** The head that the next record follows. */
type SettledHead = { readonly key: KeyObject; readonly head: AuditHead };

/** It is moved on first when its last owner was killed before it could. */
function settledHead(log: AuditLog): SettledHead {
  const keys = log.store.paths.keys;
  const end = log.store.audit.end();
  const key = readAuditKey(keys);
  if (key === null) return startLog(log, end);
  const reading = readHead(keys, key);
  if (reading.kind === "missing") throw new AgentError("audit-unavailable", `${DISAGREES}: the head is gone. ${ADVICE}`);
  if (reading.kind === "altered") throw new AgentError("audit-unavailable", `${DISAGREES}: ${reading.what}. ${ADVICE}`);
  const { head } = reading;
  if (end === null ? head.seq === 0 : end.seq === head.seq && end.hash === head.hash) return { key, head };
  const last = log.store.audit.last();
  if (end !== null && last !== null && isCommittedButUncovered(last, head, key)) {
    coverUpTo(log, end, key);
    return { key, head: end };
  }
  throw new AgentError("audit-unavailable", `${DISAGREES}: the head stands at record ${head.seq}, the log ends at ${end?.seq ?? 0}. ${ADVICE}`);
}

function coverUpTo(log: AuditLog, end: AuditHead, key: KeyObject): void {
  if (advanceHead(log.store.paths.keys, end, key).kind !== "head") throw new AgentError("audit-unavailable", `${DISAGREES}: it is altered. ${ADVICE}`);
}

/** True for the one record that a killed process may have left ahead of the head. Nobody without the key can make one. */
export function isCommittedButUncovered(last: AuditRow, head: AuditHead, key: KeyObject): boolean {
  return last.seq === head.seq + 1 && last.hash === authenticate(key, "record", last.record) && recordOf(last).previous === head.hash;
}

// Head before key: a key without a head is then never what a killed process left, but a head that was removed.
function startLog(log: AuditLog, end: AuditHead | null): SettledHead {
  const keys = log.store.paths.keys;
  if (end !== null || (claimedSequence(keys) ?? 0) !== 0) {
    throw new AgentError("audit-unavailable", `The audit log cannot be continued: its key is gone from ${keys}. ${KEY_ADVICE}`);
  }
  const bytes = newAuditKey();
  const key = createSecretKey(bytes);
  const head = { seq: 0, hash: genesisHash(key) };
  createHead(keys, head, key);
  syncDirectory(keys);
  if (!storeOnce(auditKeyPath(keys), bytes)) throw new AgentError("audit-unavailable", `A key came into ${keys} while the log was begun. Try again.`);
  return { key, head };
}

function unavailableOnFault<T>(work: () => T): T {
  const what = "The audit log cannot be written, so nothing may run";
  return guarded("audit-unavailable", what, () => {
    try {
      return work();
    } catch (error) {
      if (error instanceof AgentError && error.code === "store-unavailable")
        throw new AgentError("audit-unavailable", `${what}: ${error.message}`, { cause: error });
      throw error;
    }
  });
}
