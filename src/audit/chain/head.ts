import { timingSafeEqual, type KeyObject } from "node:crypto";
import { closeSync, fdatasyncSync, fsyncSync, readSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { ifThere, openNew, openOwn, readOwn } from "../../store/files/regular-file.ts";
import { authenticate } from "./key.ts";

/** Up to where the log is known to go. */
export type AuditHead = { readonly seq: number; readonly hash: string };

export type HeadReading =
  | { readonly kind: "head"; readonly head: AuditHead }
  | { readonly kind: "missing" }
  | { readonly kind: "altered"; readonly what: string };

// One write of one sector: disks write a sector whole or not at all, and SQLite relies on the same. It
// needs no new block either, so the head can be advanced on a disk that has just become full.
const HEAD_BYTES = 256;

/** Room for one byte more, so that what is too long is seen. */
const READ = Buffer.alloc(HEAD_BYTES + 1);

/** `keys/audit.head`: sequence and hash of the newest record, so that a log whose end was cut off is found. */
export function auditHeadPath(keysDirectory: string): string {
  return `${keysDirectory}/audit.head`;
}

/** Reads the head. What is not exactly what {@link advanceHead} writes is `altered`. */
export function readHead(keysDirectory: string, key: KeyObject): HeadReading {
  const file = ifThere(() => openOwn(auditHeadPath(keysDirectory), "read", "audit-unavailable"));
  if (file === null) return { kind: "missing" };
  try {
    return readingOf(textIn(file), key);
  } finally {
    closeSync(file);
  }
}

/** The sequence that a head claims, without a key to check it. */
export function claimedSequence(keysDirectory: string): number | null {
  const text = readOwn(auditHeadPath(keysDirectory), "audit-unavailable");
  return text === null ? null : (headIn(text.toString("latin1"))?.seq ?? null);
}

/** Puts the first head in place, whole or not at all. The caller syncs the directory. */
export function createHead(keysDirectory: string, head: AuditHead, key: KeyObject): void {
  const text = encode(head, key);
  const temporary = join(keysDirectory, `audit.head.${process.pid}.new`);
  const file = openNew(temporary);
  try {
    writeSync(file, text, 0, "latin1");
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, auditHeadPath(keysDirectory));
}

/**
 * Overwrites the head in place, durably, unless it is that far already. If the head there was altered, writes nothing. Returns what was found. The
 * caller holds the store exclusively.
 */
export function advanceHead(keysDirectory: string, head: AuditHead, key: KeyObject): HeadReading {
  const file = openOwn(auditHeadPath(keysDirectory), "change", "audit-unavailable");
  try {
    const found = readingOf(textIn(file), key);
    if (found.kind === "head" && found.head.seq < head.seq) overwrite(file, head, key);
    return found;
  } finally {
    closeSync(file);
  }
}

function overwrite(file: number, head: AuditHead, key: KeyObject): void {
  const text = encode(head, key);
  if (writeSync(file, text, 0, "latin1") !== HEAD_BYTES) throw new AgentError("audit-unavailable", "The head of the audit log could not be written whole.");
  fdatasyncSync(file);
  authentic = { text, key, reading: { kind: "head", head } };
}

function textIn(file: number): string {
  return READ.toString("latin1", 0, readSync(file, READ, 0, READ.length, 0));
}

/** The last head that was found authentic, or written: the same text under the same key is not authenticated again. */
let authentic: { readonly text: string; readonly key: KeyObject; readonly reading: HeadReading } | null = null;

function readingOf(text: string, key: KeyObject): HeadReading {
  if (authentic?.text === text && authentic.key === key) return authentic.reading;
  const head = headIn(text);
  if (head === null) return { kind: "altered", what: "the head is not in its form" };
  const expected = Buffer.from(encode(head, key), "latin1");
  const found = Buffer.from(text, "latin1");
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) return { kind: "altered", what: "the head was not written with this key" };
  authentic = { text, key, reading: { kind: "head", head } };
  return authentic.reading;
}

function encode(head: AuditHead, key: KeyObject): string {
  const text = `{"hash":"${head.hash}","seq":${String(head.seq)}}`;
  return `${`${text} ${authenticate(key, "head", text)}`.padEnd(HEAD_BYTES - 1)}\n`;
}

function headIn(text: string): AuditHead | null {
  const match = /^\{"hash":"(?<hash>[0-9a-f]{64})","seq":(?<seq>0|[1-9][0-9]{0,14})\} [0-9a-f]{64} +\n$/u.exec(text);
  const { hash, seq } = match?.groups ?? {};
  return hash === undefined || seq === undefined ? null : { hash, seq: Number(seq) };
}
