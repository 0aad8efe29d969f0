import { createHash, type KeyObject } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "../base/digest.ts";
import { AgentError } from "../base/errors.ts";
import type { AuditRow } from "../store/rows/audit.ts";
import { makeDirectories, syncDirectory } from "../store/files/state-files.ts";
import { sealLine, type ArchiveSeal } from "./chain/archive-seal.ts";
import { baseRow } from "./chain/base.ts";
import { readAuditKey } from "./chain/key.ts";
import { appendAuditWith, type AuditLog } from "./log/log.ts";
import { verifyAudit } from "./verify/verify.ts";

export type Archived = { readonly first: number; readonly last: number; readonly file: string; readonly sha256: string };

const PAGE_ROWS = 1_000;

/**
 * Moves the records from before a moment (milliseconds since 1970) to a file below `directory`: one JSON line each, then a seal. Null if none is that
 * old. The log goes on from what the file ends with, and a record says what was moved. So `verify` still proves what is here, and the file where it is
 * at hand.
 *
 * The file is complete on disk before a row is removed; row, base and record change in one transaction. Throws `audit-unavailable` if the log is not
 * intact: what was tampered with is kept as it is.
 */
export function archiveAudit(log: AuditLog, beforeMs: number, directory: string): Archived | null {
  if (!verifyAudit(log).isIntact) throw new AgentError("audit-unavailable", "The audit log is not whole, so nothing is archived: see `warder audit verify`.");
  const last = log.store.audit.lastBefore(new Date(beforeMs).toISOString());
  const key = readAuditKey(log.store.paths.keys);
  if (last === null || key === null) return null;
  const base = log.store.audit.base();
  const first = (base?.seq ?? 0) + 1;
  const end = log.store.audit.at(last);
  const start = log.store.audit.at(first);
  if (end === null || start === null) throw new AgentError("audit-unavailable", "The audit log changed while it was archived. Try again.");
  const seal = { first, last, previous: previousOf(start), lastHash: end.hash };
  const file = join(directory, `audit-${String(first).padStart(9, "0")}-${String(last).padStart(9, "0")}.jsonl`);
  const sha256 = writeArchive(log, seal, key, file);
  appendAuditWith(log, (present) => {
    // Another process archived meanwhile: its file has these records, and removing them twice would need a base that is gone.
    if ((log.store.audit.base()?.seq ?? 0) !== first - 1) throw new AgentError("audit-unavailable", "Another process archived the log at the same time.");
    log.store.audit.archiveUpTo(baseRow({ seq: last, hash: end.hash }, present));
    return { run: null, payload: { kind: "log-archived", first, last, lastHash: end.hash, file, sha256 } };
  });
  return { first, last, file, sha256 };
}

function previousOf(row: AuditRow): string {
  return (JSON.parse(row.record) as { previous: string }).previous;
}

/** Writes the archive whole or not at all, mode 0600, durable when it returns. Gives the file's SHA-256. */
function writeArchive(log: AuditLog, seal: ArchiveSeal, key: KeyObject, path: string): string {
  makeDirectories(join(path, ".."));
  const draft = `${path}.${process.pid}.new`;
  const digest = createHash("sha256");
  const file = openSync(draft, "w", 0o600);
  try {
    const put = (text: string): void => {
      digest.update(text);
      const bytes = Buffer.from(text, "utf8");
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    };
    for (let after = seal.first - 1; after < seal.last;) {
      const rows = log.store.audit.page(after, seal.last, PAGE_ROWS);
      if (rows.length === 0) throw new AgentError("audit-unavailable", "The audit log changed while it was archived. Try again.");
      put(rows.map((row) => `${canonicalJson({ hash: row.hash, record: row.record, seq: row.seq })}\n`).join(""));
      after = rows.at(-1)?.seq ?? seal.last;
    }
    put(`${sealLine(seal, key)}\n`);
    fsyncSync(file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  syncDirectory(join(path, ".."));
  return digest.digest("hex");
}
