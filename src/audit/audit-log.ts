import { createSecretKey, type KeyObject } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { canonicalJson } from "../base/digest.ts";
import { AgentError } from "../base/errors.ts";
import type { AuditRow } from "../store/audit-rows.ts";
import { storeOnce, syncDirectory } from "../store/state-files.ts";
import { guarded } from "../store/store-fault.ts";
import type { Store } from "../store/store.ts";
import { advanceHead, advanceHeadFrom, claimedSequence, createHead, readHead, type AuditHead } from "./audit-head.ts";
import { auditKeyPath, authenticate, newAuditKey, readAuditKey } from "./audit-key.ts";
import type { AuditPayload } from "./entry.ts";
import { recordOf } from "./audit-record.ts";
import type { Redact } from "./redact.ts";

/** The audit log over one store; open one for each process. */
export type AuditLog = {
  readonly store: Store;
  readonly clock: Clock;
  /** Takes secrets that are known out of every text of a record. */ readonly redact?: Redact;
};

export type AuditEntry = { readonly run: string | null; readonly payload: AuditPayload };

const DISAGREES = "The audit log cannot be continued: it does not agree with its head";
const ADVICE = "Nothing runs before this is explained: see `warder audit verify`. To start a new log, move the state directory aside.";

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

/** The same for a record that is made, and goes with other changes of the store, in its transaction: all land, or none. */
export function appendAuditWith(log: AuditLog, make: (key: KeyObject) => AuditEntry): AuditHead {
  return unavailableOnFault(() =>
    log.store.inOneTurn(() => {
      const { row, before } = log.store.exclusively(() => {
        const settled = settledHead(log);
        const next = nextRow(log, make(settled.key), settled.head, settled.key);
        log.store.audit.add(next);
        return { row: next, before: settled };
      });
      const { seq, hash } = row;
      log.store.exclusively(() => {
        // Another process may have come between commit and here, covered this record and added its own: never back.
        if (advanceHeadFrom(before.text, log.store.paths.keys, { seq, hash }, before.key) === null)
          throw new AgentError("audit-unavailable", `${DISAGREES}: it is altered. ${ADVICE}`);
      });
      return { seq, hash };
    }),
  );
}

/** The hash that the first record follows. */
export function genesisHash(key: KeyObject): string {
  return authenticate(key, "genesis", "");
}

function nextRow(log: AuditLog, entry: AuditEntry, head: AuditHead, key: KeyObject): AuditRow {
  const { kind, ...payload } = log.redact === undefined ? entry.payload : redactedPayload(entry.payload, log.redact);
  const seq = head.seq + 1;
  // The envelope is written last: no payload can name another sequence, time, run or predecessor.
  const record = canonicalJson({ ...payload, kind, seq, at: new Date(log.clock.nowMs()).toISOString(), run: entry.run, previous: head.hash });
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

/** The head that the next record follows, and the text of its file. */
type SettledHead = { readonly key: KeyObject; readonly head: AuditHead; readonly text: string };

/** It is moved on first when its last owner was killed before it could. */
function settledHead(log: AuditLog): SettledHead {
  const keys = log.store.paths.keys;
  const last = log.store.audit.last();
  const key = readAuditKey(keys);
  if (key === null) return startLog(log, last);
  const reading = readHead(keys, key);
  if (reading.kind === "missing") throw new AgentError("audit-unavailable", `${DISAGREES}: the head is gone. ${ADVICE}`);
  if (reading.kind === "altered") throw new AgentError("audit-unavailable", `${DISAGREES}: ${reading.what}. ${ADVICE}`);
  const { head, text } = reading;
  if (last === null) {
    if (head.seq === 0) return { key, head, text };
  } else {
    if (last.seq === head.seq && last.hash === head.hash) return { key, head, text };
    if (isCommittedButUncovered(last, head, key)) return { key, head: last, text: advanceHead(keys, last, key) };
  }
  throw new AgentError("audit-unavailable", `${DISAGREES}: the head stands at record ${head.seq}, the log ends at ${last?.seq ?? 0}. ${ADVICE}`);
}

/** True for the one record that a killed process may have left ahead of the head. Nobody without the key can make one. */
export function isCommittedButUncovered(last: AuditRow, head: AuditHead, key: KeyObject): boolean {
  return last.seq === head.seq + 1 && last.hash === authenticate(key, "record", last.record) && recordOf(last).previous === head.hash;
}

// Head before key: a key without a head is then never what a killed process left, but a head that was removed.
function startLog(log: AuditLog, last: AuditRow | null): SettledHead {
  const keys = log.store.paths.keys;
  if (last !== null || (claimedSequence(keys) ?? 0) !== 0) {
    throw new AgentError("audit-unavailable", `The audit log cannot be continued: its key is gone from ${keys}. ${ADVICE}`);
  }
  const bytes = newAuditKey();
  const key = createSecretKey(bytes);
  const head = { seq: 0, hash: genesisHash(key) };
  const text = createHead(keys, head, key);
  syncDirectory(keys);
  if (!storeOnce(auditKeyPath(keys), bytes)) throw new AgentError("audit-unavailable", `A key came into ${keys} while the log was begun. Try again.`);
  return { key, head, text };
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
