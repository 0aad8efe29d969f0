import { createHmac, createSecretKey, randomBytes, type KeyObject } from "node:crypto";
import { closeSync, fstatSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../base/errors.ts";

const KEY_BYTES = 32;

/** `keys/audit.key`: what the hash chain is keyed with, so that who can write the database cannot make records. */
export function auditKeyPath(keysDirectory: string): string {
  return join(keysDirectory, "audit.key");
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

/** Stores a new key whole or not at all, mode 0600; throws EEXIST when there is one. The caller syncs the directory. */
export function storeAuditKey(keysDirectory: string, key: Buffer): void {
  const temporary = join(keysDirectory, `audit.key.${process.pid}.new`);
  const file = openSync(temporary, "w", 0o600);
  try {
    writeSync(file, key);
    fsyncSync(file);
    // A link, not a rename: it never replaces a key that is there.
    linkSync(temporary, auditKeyPath(keysDirectory));
  } finally {
    closeSync(file);
    unlinkSync(temporary);
  }
}

/** HMAC-SHA256 in hexadecimal. `purpose` keeps a value made for one use from being taken for another. */
export function authenticate(key: KeyObject, purpose: "record" | "head" | "genesis", text: string): string {
  return createHmac("sha256", key).update(`warder-audit-${purpose}-1\n`).update(text).digest("hex");
}
