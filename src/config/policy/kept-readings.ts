import { closeSync, fstatSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../base/digest.ts";
import { readPolicyDocument, type PolicyReading } from "../../policy/language/document.ts";
import { prepareReading, type PreparedReading, reviveReading } from "../../policy/language/prepared-reading.ts";
import { ifThere, openNew, openOwn } from "../../store/files/regular-file.ts";
import { makeDirectories } from "../../store/files/state-files.ts";
import { BUILD } from "./build-identity.ts";
import type { PolicyFile } from "./files.ts";

/** As many texts as somebody works with; the oldest go. */
const MAX_KEPT = 64;
/** A policy of 10,000 rules takes a third of it. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Reads a policy's text, or takes what the same program made of exactly this text before: another agent starts Warder for each of its calls, and reading
 * takes longer than deciding. What is kept lies in the state directory, which nobody else may write, under the digest of the text. Nothing is kept of a file
 * of somebody else: what an administrator wrote does not hang on what its reader may write.
 */
export function readingOf({ file, text, owner }: Pick<PolicyFile, "file" | "text" | "owner">, stateDirectory: string, build = BUILD): PolicyReading {
  if (build === null || owner !== process.getuid?.()) return readPolicyDocument(file, text);
  const folder = join(stateDirectory, "readings");
  const path = join(folder, `${sha256(`${build}\n${text}`)}.json`);
  const kept = readKept(path);
  if (kept !== null) return reviveReading(kept, file);
  const reading = readPolicyDocument(file, text);
  if (!("diagnostics" in reading)) keep(folder, path, prepareReading(reading));
  return reading;
}

function readKept(path: string): PreparedReading | null {
  try {
    const descriptor = ifThere(() => openOwn(path, "read", "bad-configuration"));
    if (descriptor === null) return null;
    try {
      const { size, uid, mode } = fstatSync(descriptor);
      if (size > MAX_BYTES || uid !== process.getuid?.() || (mode & 0o077) !== 0) return null;
      const kept: unknown = JSON.parse(readFileSync(descriptor, "utf8"));
      return typeof kept === "object" && kept !== null && "document" in kept && "places" in kept ? (kept as PreparedReading) : null;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Cut short, or another's: it is read anew.
    return null;
  }
}

/** Where it cannot be kept, the next start reads again. */
function keep(folder: string, path: string, reading: PreparedReading): void {
  const draft = `${path}.${String(process.pid)}.new`;
  try {
    makeDirectories(folder);
    const descriptor = openNew(draft);
    try {
      writeFileSync(descriptor, JSON.stringify(reading));
      renameSync(draft, path);
    } catch {
      rmSync(draft, { force: true });
    } finally {
      closeSync(descriptor);
    }
    removeOldest(folder);
  } catch {
    // A full disk, a directory that is not ours: nothing is kept.
  }
}

function removeOldest(folder: string): void {
  const names = readdirSync(folder);
  if (names.length <= MAX_KEPT) return;
  const byAge = names.map((name) => ({ name, atMs: statSync(join(folder, name)).mtimeMs })).toSorted((one, other) => one.atMs - other.atMs);
  for (const { name } of byAge.slice(0, names.length - MAX_KEPT)) rmSync(join(folder, name), { force: true });
}
