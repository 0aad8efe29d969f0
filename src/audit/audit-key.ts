import { createHmac, createSecretKey, randomBytes, type KeyObject } from "node:crypto";
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { AgentError } from "../base/errors.ts";

const KEY_BYTES = 32;

/** `keys/audit.key`: what the hash chain is keyed with, so that who can write the database cannot make records. */
export function auditKeyPath(keysDirectory: string): string {
  return `${keysDirectory}/audit.key`;
}

/** The key, or null when there is none. Throws `audit-unavailable` when others can read it or it is no key. */
export function readAuditKey(keysDirectory: string): KeyObject | null {
  const path = auditKeyPath(keysDirectory);
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  try {
    if ((fstatSync(file).mode & 0o077) !== 0)
      throw new AgentError("audit-unavailable", `${path} can be read by others. Set its mode to 0600; who read it can forge records.`);
    const bytes = readFileSync(file);
    if (bytes.length !== KEY_BYTES) throw new AgentError("audit-unavailable", `${path} is no audit key: it has ${bytes.length} bytes instead of ${KEY_BYTES}.`);
    return createSecretKey(bytes);
  } finally {
    closeSync(file);
  }
}

/** A new key, not yet stored. */
export function newAuditKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** HMAC-SHA256 in hexadecimal. `purpose` keeps a value made for one use from being taken for another. */
export function authenticate(key: KeyObject, purpose: "record" | "head" | "genesis" | "base" | "archive", text: string): string {
  return createHmac("sha256", key).update(`warder-audit-${purpose}-1\n`).update(text).digest("hex");
}
