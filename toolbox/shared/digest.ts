import { createHash } from "node:crypto";

/** The digest of texts, each with its length, as 64 hexadecimal digits. */
export function digestOf(texts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(`${String(text.length)}:${text}`);
  return hash.digest("hex");
}
