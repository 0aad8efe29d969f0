import { createHmac, createSecretKey, randomBytes, timingSafeEqual, type KeyObject } from "node:crypto";
import { closeSync, fstatSync, readSync } from "node:fs";
import { AgentError } from "../../base/errors.ts";
import { ifThere, openOwn } from "../../store/files/regular-file.ts";

const KEY_BYTES = 32;

/** What to do without the key. */
export const KEY_ADVICE =
  "Without it nothing of the log can be verified or continued. Put it back from a copy of the state directory; or move the state directory aside, and keep it, to start anew.";

/** Room for one byte more, so that what is too long is seen. */
const READ = Buffer.alloc(KEY_BYTES + 1);

/** `keys/audit.key`: what the hash chain is keyed with, so that who can write the database cannot make records. */
export function auditKeyPath(keysDirectory: string): string {
  return `${keysDirectory}/audit.key`;
}

/** The key, or null when there is none. Throws `audit-unavailable` when others can read it or it is no key. */
export function readAuditKey(keysDirectory: string): KeyObject | null {
  const path = auditKeyPath(keysDirectory);
  const file = ifThere(() => openOwn(path, "read", "audit-unavailable"));
  if (file === null) return null;
  try {
    if ((fstatSync(file).mode & 0o077) !== 0)
      throw new AgentError("audit-unavailable", `${path} can be read by others. Set its mode to 0600; who read it can forge records.`);
    const length = readSync(file, READ, 0, READ.length, 0);
    if (length !== KEY_BYTES) throw new AgentError("audit-unavailable", `${path} is no audit key: it does not have ${KEY_BYTES} bytes. ${KEY_ADVICE}`);
    return keyOf(READ.subarray(0, KEY_BYTES));
  } finally {
    closeSync(file);
  }
}

/** The last key that was read: for the same bytes there is the same key. */
let known: { readonly bytes: Buffer; readonly key: KeyObject } | null = null;

function keyOf(bytes: Buffer): KeyObject {
  if (known === null || !timingSafeEqual(known.bytes, bytes)) known = { bytes: Buffer.from(bytes), key: createSecretKey(bytes) };
  return known.key;
}

/** A new key, not yet stored. */
export function newAuditKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** HMAC-SHA256 in hexadecimal. `purpose` keeps a value made for one use from being taken for another. */
export function authenticate(key: KeyObject, purpose: "record" | "head" | "genesis" | "base" | "archive" | "variable", text: string): string {
  return createHmac("sha256", key).update(`warder-audit-${purpose}-1\n`).update(text).digest("hex");
}
