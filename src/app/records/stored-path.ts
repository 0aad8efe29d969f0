import type { AuditLog } from "../../audit/log/log.ts";
import { redactFor } from "../../audit/entries/redact.ts";
import { storedBeginning } from "../../audit/entries/stored-value.ts";

const MAX_PATH = 512;

/** A path as a record may hold it. */
export function storedPath(path: string, audit: AuditLog): string {
  return storedBeginning(path, redactFor(audit), MAX_PATH);
}
