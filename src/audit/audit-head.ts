import { timingSafeEqual, type KeyObject } from "node:crypto";
import { closeSync, fdatasyncSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../base/errors.ts";
import { authenticate } from "./audit-key.ts";

/** Up to where the log is known to go. */
export type AuditHead = { readonly seq: number; readonly hash: string };

export type HeadReading =
  /** `text`: the whole file, which was found authentic. */
  | { readonly kind: "head"; readonly head: AuditHead; readonly text: string }
  | { readonly kind: "missing" }
  | { readonly kind: "altered"; readonly what: string };

// One write of one sector: disks write a sector whole or not at all, and SQLite relies on the same. It
// needs no new block either, so the head can be advanced on a disk that has just become full.
const HEAD_BYTES = 256;

/** `keys/audit.head`: sequence and hash of the newest record, so that a log whose end was cut off is found. */
export function auditHeadPath(keysDirectory: string): string {
  return `${keysDirectory}/audit.head`;
}

/** Reads the head. What is not exactly what {@link advanceHead} writes is `altered`. */
export function readHead(keysDirectory: string, key: KeyObject): HeadReading {
  let text: string;
  try {
    text = readFileSync(auditHeadPath(keysDirectory), "latin1");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return { kind: "missing" };
    throw error;
  }
  return readingOf(text, key);
}

/** The sequence that a head claims, without a key to check it. */
export function claimedSequence(keysDirectory: string): number | null {
  try {
    return headIn(readFileSync(auditHeadPath(keysDirectory), "latin1"))?.seq ?? null;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/** Puts the first head in place, whole or not at all, and returns its text. The caller syncs the directory. */
export function createHead(keysDirectory: string, head: AuditHead, key: KeyObject): string {
  const text = encode(head, key);
  const temporary = join(keysDirectory, `audit.head.${process.pid}.new`);
  const file = openSync(temporary, "w", 0o600);
  try {
    writeSync(file, text, 0, "latin1");
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, auditHeadPath(keysDirectory));
  return text;
}

/** Overwrites the head in place; durable when it returns, with the text that stands there then. Only for who holds the store exclusively. */
export function advanceHead(keysDirectory: string, head: AuditHead, key: KeyObject): string {
  const file = openSync(auditHeadPath(keysDirectory), "r+");
  try {
    return overwrite(file, head, key);
  } finally {
    closeSync(file);
  }
}

/**
 * The same, unless the head is further already; null when it cannot be told where it is. `known` is the text of a head that was found authentic
 * before: where it stands still, it is not authenticated again.
 */
export function advanceHeadFrom(known: string, keysDirectory: string, head: AuditHead, key: KeyObject): string | null {
  const file = openSync(auditHeadPath(keysDirectory), "r+");
  try {
    const text = readFileSync(file, "latin1");
    if (text === known) return overwrite(file, head, key);
    const reading = readingOf(text, key);
    if (reading.kind !== "head") return null;
    return reading.head.seq < head.seq ? overwrite(file, head, key) : text;
  } finally {
    closeSync(file);
  }
}

function overwrite(file: number, head: AuditHead, key: KeyObject): string {
  const text = encode(head, key);
  if (writeSync(file, text, 0, "latin1") !== HEAD_BYTES) throw new AgentError("audit-unavailable", "The head of the audit log could not be written whole.");
  fdatasyncSync(file);
  return text;
}

function readingOf(text: string, key: KeyObject): HeadReading {
  const head = headIn(text);
  if (head === null) return { kind: "altered", what: "the head is not in its form" };
  const expected = Buffer.from(encode(head, key), "latin1");
  const found = Buffer.from(text, "latin1");
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) return { kind: "altered", what: "the head was not written with this key" };
  return { kind: "head", head, text };
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
