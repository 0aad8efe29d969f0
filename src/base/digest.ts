import canonicalize from "canonicalize";
import { createHash } from "node:crypto";
import { AgentError } from "./errors.ts";
import { isSortable, sorted } from "./sorted.ts";

/** The canonical JSON text (RFC 8785) of a plain value. Throws `broken-invariant` when it has none. */
export function canonicalJson(value: unknown): string {
  // Node.js writes all but the order of keys as RFC 8785 wants it, with a third of the garbage.
  const text = isSortable(value) ? JSON.stringify(sorted(value)) : canonicalize(value);
  if (text === undefined) throw new AgentError("broken-invariant", "A value without a JSON form cannot be digested.");
  return text;
}

/** The SHA-256 of bytes or of UTF-8 text, as 64 lower-case hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** The SHA-256 of the canonical JSON of a plain value. */
export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}
