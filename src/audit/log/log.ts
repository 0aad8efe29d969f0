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
import { isOneTransactionAhead, MAX_TOGETHER } from "../chain/together.ts";
import type { Redact } from "../entries/redact.ts";

/** The audit log over one store; open one for each process. */
export type AuditLog = {
  readonly store: Store;
  readonly clock: Clock;
  /** Takes secrets that are known out of every text of a record. */ readonly redact?: Redact;
};

export type AuditEntry = { readonly run: string | null; readonly payload: AuditPayload };

/** A record as it was made, at its moment. */
type Draft = AuditEntry & { readonly atMs: number };

/** Gives the record within the transaction that writes it; null: there is none. */
type Deferred = () => Draft | null;

/** What waits for the next record of this process, by store. */
const deferred = new WeakMap<Store, Deferred[]>();
const MAX_DEFERRED = 32;

const DISAGREES = "The audit log cannot be continued: it does not agree with its head";
const ADVICE =
  "Nothing runs before this is explained: see `warder audit verify`. Then put the whole state directory back from a copy, or move it aside, and keep it, to start anew.";

/**
 * Adds one record, and returns where the log then ends. When it returns, the record is on disk and the head outside the database covers it; when
 * it throws (`audit-unavailable`: full or read-only disk, a log that was tampered with), what was to be
 * recorded must not happen.
 *
 * Database first, head second, and never more than one transaction between them: docs/audit.md argues why a
 * process that is killed at any point leaves neither a hole nor a false alarm.
 */
export function appendAudit(log: AuditLog, entry: AuditEntry): AuditHead {
  return appendAuditWith(log, () => entry);
}

/** Appends a record in the same transaction as other changes of the store: all of them land, or none. Null: `make` found nothing (left) to record. */
export function appendAuditWith(log: AuditLog, make: (key: KeyObject) => AuditEntry): AuditHead;
export function appendAuditWith(log: AuditLog, make: (key: KeyObject) => AuditEntry | null): AuditHead | null;
export function appendAuditWith(log: AuditLog, make: (key: KeyObject) => AuditEntry | null): AuditHead | null {
  let isMade = false;
  const end = appendAuditTogether(log, (key) => {
    const entry = make(key);
    isMade = entry !== null;
    return entry === null ? [] : [entry];
  });
  return isMade ? end : null;
}

/** The same for several records. What was deferred comes before them. Null: there was nothing to record. */
export function appendAuditTogether(log: AuditLog, make: (key: KeyObject) => readonly AuditEntry[]): AuditHead | null {
  return unavailableOnFault(() =>
    log.store.inOneTurn(() => {
      const waiting = deferredOf(log.store);
      const before = [...waiting];
      const added = log.store.exclusively(() => {
        const { key, head } = settledHead(log);
        const drafts = [...before.flatMap(draftsIn), ...make(key).map((entry) => draftOf(log, entry))];
        const rows = rowsOf(drafts, head, key);
        for (const row of rows) log.store.audit.add(row);
        return { end: rows.at(-1), key };
      });
      waiting.splice(0, before.length);
      const { end, key } = added;
      if (end === undefined) return null;
      // Another process may come between commit and here, cover these records and add its own: never back.
      log.store.exclusively(() => coverUpTo(log, end, key));
      return { seq: end.seq, hash: end.hash };
    }),
  );
}

/**
 * Adds a record that need not be on disk yet: it goes there with the next one of this process, in one transaction. `make` runs in that transaction, again if
 * it failed. What dies with the process before is lost.
 */
export function deferAudit(log: AuditLog, run: string | null, make: () => AuditPayload | null): void {
  const atMs = log.clock.nowMs();
  const waiting = deferredOf(log.store);
  waiting.push(() => {
    const payload = make();
    return payload === null ? null : { ...draftOf(log, { run, payload }), atMs };
  });
  if (waiting.length >= MAX_DEFERRED) settleAudit(log);
}

/** Puts what was deferred on disk, and changes of the store with it. */
export function settleAudit(log: AuditLog, work: () => void = () => undefined): void {
  if (deferredOf(log.store).length === 0) return work();
  appendAuditTogether(log, () => {
    work();
    return [];
  });
}

function deferredOf(store: Store): Deferred[] {
  const waiting = deferred.get(store) ?? [];
  deferred.set(store, waiting);
  return waiting;
}

/** The hash that the first record follows. */
export function genesisHash(key: KeyObject): string {
  return authenticate(key, "genesis", "");
}

function draftsIn(deferred: Deferred): readonly Draft[] {
  const draft = deferred();
  return draft === null ? [] : [draft];
}

/** A record without its place in the log. */
function draftOf(log: AuditLog, { run, payload }: AuditEntry): Draft {
  return { run, payload: log.redact === undefined ? payload : redactedPayload(payload, log.redact), atMs: log.clock.nowMs() };
}

function rowsOf(drafts: readonly Draft[], head: AuditHead, key: KeyObject): readonly AuditRow[] {
  if (drafts.length > MAX_TOGETHER) throw new AgentError("broken-invariant", `${drafts.length} records cannot be written together.`);
  const together = head.seq + drafts.length;
  const rows: AuditRow[] = [];
  for (const { payload, run, atMs } of drafts) {
    const before = rows.at(-1) ?? head;
    const seq = before.seq + 1;
    // The envelope is written last: no payload can name another sequence, time, run or predecessor.
    const record = canonicalJson({ ...payload, seq, at: new Date(atMs).toISOString(), run, previous: before.hash, together });
    rows.push({ seq, record, hash: authenticate(key, "record", record) });
  }
  return rows;
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
  if (end !== null && isOneTransactionAhead(log.store.audit.page(head.seq, end.seq, MAX_TOGETHER + 1), head, key)) {
    coverUpTo(log, end, key);
    return { key, head: end };
  }
  throw new AgentError("audit-unavailable", `${DISAGREES}: the head stands at record ${head.seq}, the log ends at ${end?.seq ?? 0}. ${ADVICE}`);
}

function coverUpTo(log: AuditLog, end: AuditHead, key: KeyObject): void {
  if (advanceHead(log.store.paths.keys, end, key).kind !== "head") throw new AgentError("audit-unavailable", `${DISAGREES}: it is altered. ${ADVICE}`);
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
