import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));

/** The digest of texts, each with its length, as 64 hexadecimal digits. */
export function digestOf(texts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(`${String(text.length)}:${text}`);
  return hash.digest("hex");
}

/** The digest of every source that a verdict about a command follows from. Counts of runs add up while it stays the same. */
export function subjectDigest(): string {
  const texts: string[] = [];
  for (const folder of ["src/shell", "src/programs"]) {
    const names = readdirSync(join(CHECKOUT, folder), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    for (const name of names.toSorted()) texts.push(`${folder}/${name}`, readFileSync(join(CHECKOUT, folder, name), "utf8"));
  }
  return digestOf(texts);
}
