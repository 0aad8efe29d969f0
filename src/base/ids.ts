import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * A new identifier `prefix-xxxxxxxxxxxx`: twelve characters of Crockford's base 32 from the
 * system's random source (60 bits), without letters that are easily misread.
 */
export function newId(
  prefix:
    | "run"
    | "call"
    | "approval"
    | "grant"
    | "image"
    | "session"
    | "message"
    | "ready"
    | "job"
    | "lane"
    | "overlay"
    | "store"
    | "layers"
    | "rewind"
    | "memory"
    | "browser"
    | "server"
    | "form",
): string {
  let id = "";
  for (const byte of randomBytes(12)) id += ALPHABET.charAt(byte & 31);
  return `${prefix}-${id}`;
}
