import { createHash } from "node:crypto";
import { tokensIn } from "../../../base/secret-tokens.ts";
import { createRedactor, type RedactedParts, type Redactor } from "../../egress/secrets/redactor.ts";
import { fill, withFile } from "./content.ts";
import type { DirectoryFd } from "./tree.ts";

/** What a text shows of secrets: names for a person, by what tells two secrets apart. No value is kept. */
export type FoundSecrets = ReadonlyMap<string, string>;

/** Reads bytes that come in parts. */
export type SecretReader = { push(bytes: Uint8Array): void; end(): FoundSecrets };

/** Finds secrets in what is to land. */
export type SecretScan = {
  reader(): SecretReader;
  /** Of a name, or what a link says. */
  text(text: string): FoundSecrets;
  bytes(bytes: Uint8Array): FoundSecrets;
  /** Of a regular file, whatever its size; nothing when it is not there. */
  file(root: DirectoryFd, path: string): FoundSecrets;
};

const NONE: FoundSecrets = new Map();
const CHUNK_BYTES = 1024 * 1024;
/** A token that lies across two chunks is read in one piece when it is no longer. */
const OVERLAP = 4096;
const ZEROS = new Uint8Array(CHUNK_BYTES);
/** What a part of nothing but zeros is read as: no secret is written over so many. */
const GAP_BYTES = 64;

/**
 * Finds tokens of well-known services, and the `known` values (by the names that a person knows them by) as they are and encoded as
 * `redaction.ts` lists.
 */
export function createSecretScan(known: ReadonlyMap<string, string>): SecretScan {
  const redactor = createRedactor(known);
  const reader = (): SecretReader => readerOf(redactor);
  const bytes = (whole: Uint8Array): FoundSecrets => {
    const read = reader();
    read.push(whole);
    return read.end();
  };
  return {
    reader,
    text: (text) => (text === "" ? NONE : bytes(Buffer.from(text))),
    bytes,
    file: (root, path) =>
      withFile(root, path, (fd, { size }) => {
        const read = reader();
        // A file may grow while it is read.
        const buffer = new Uint8Array(Math.min(CHUNK_BYTES, size + 4096));
        for (let length = fill(fd, buffer); length > 0; length = fill(fd, buffer)) read.push(buffer.subarray(0, length));
        return read.end();
      }) ?? NONE,
  };
}

function readerOf(redactor: Redactor | null): SecretReader {
  const found = new Map<string, string>();
  const parts: RedactedParts | undefined = redactor?.parts((id) => found.set(`known ${id}`, `the secret ${id}`));
  let tail = "";
  return {
    push: (bytes) => {
      const isHole = Buffer.compare(bytes, ZEROS.subarray(0, bytes.byteLength)) === 0;
      const text = Buffer.from(isHole ? bytes.subarray(0, GAP_BYTES) : bytes).toString("latin1");
      parts?.push(text);
      const window = tail + text;
      for (const { name, token } of tokensIn(window)) {
        // Manuals write their examples so.
        if (!token.endsWith("EXAMPLE")) found.set(createHash("sha256").update(token).digest("hex"), /^[aeiou]/iu.test(name) ? `an ${name}` : `a ${name}`);
      }
      tail = window.slice(-OVERLAP);
    },
    end: () => {
      parts?.end();
      return found;
    },
  };
}
