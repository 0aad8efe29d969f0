import { createPublicKey, X509Certificate } from "node:crypto";
import { createRequire } from "node:module";
import type * as Schema from "@peculiar/asn1-schema";
import type * as X509 from "@peculiar/asn1-x509";
import { smallFile } from "./small-file.ts";

/** The authorities of a whole system are a quarter of it. */
export const MAX_PUBLIC_BYTES = 1024 ** 2;

/** What a block must be, by its label. All other labels may hold something private. */
const BLOCKS: Readonly<Record<string, (der: Buffer) => boolean>> = {
  CERTIFICATE: isCertificate,
  "X509 CERTIFICATE": isCertificate,
  "X509 CRL": isRevocationList,
  "PUBLIC KEY": (der) => isPublicKey(der, "spki"),
  "RSA PUBLIC KEY": (der) => isPublicKey(der, "pkcs1"),
};

const BEGIN = /^-----BEGIN (?<label>[A-Z0-9 ]{1,40})-----$/u;
const MAX_COMMENT_CHARACTERS = 400;
/** Ten times as many as the authorities of a system. */
const MAX_LINES = 50_000;

/**
 * Whether a file is nothing but certificates, public keys and revocation lists: PEM blocks with comments between them, or one such thing as DER. Every
 * block is decoded, and must be what its label says, to the last byte. What is not understood counts as private.
 */
export function isPublicOnly(content: Buffer): boolean {
  if (content.length === 0 || content.length > MAX_PUBLIC_BYTES) return false;
  if (content[0] === 0x30) return isCertificate(content) || isRevocationList(content) || isPublicKey(content, "spki");
  const text = decoded(content);
  return text !== null && isPublicText(text.split("\n").map((line) => line.replace(/\r$/u, "")));
}

/** The same of a regular file; false for anything else, and for what cannot be read. */
export function isPublicFile(path: string): boolean {
  const found = smallFile(path, MAX_PUBLIC_BYTES);
  return found !== null && isPublicOnly(found.content);
}

function isPublicText(lines: readonly string[]): boolean {
  if (lines.length > MAX_LINES) return false;
  let blocks = 0;
  let open: { readonly label: string; readonly body: string[] } | null = null;
  for (const line of lines) {
    if (open === null) {
      const label: string | undefined = BEGIN.exec(line)?.groups?.["label"];
      if (label !== undefined) open = { label, body: [] };
      else if (!isComment(line)) return false;
    } else if (line === `-----END ${open.label}-----`) {
      if (!isBlock(open.label, open.body)) return false;
      blocks += 1;
      open = null;
    } else open.body.push(line);
  }
  return open === null && blocks > 0;
}

function isBlock(label: string, body: readonly string[]): boolean {
  const text = body.join("");
  const der = Buffer.from(text, "base64");
  // A line of a head (`Proc-Type`), another alphabet, or bits behind the last byte: then it is no text of these bytes.
  return der.length > 0 && der.toString("base64") === text && Object.hasOwn(BLOCKS, label) && BLOCKS[label]?.(der) === true;
}

/** A run of characters that could be a line of a key. */
const LONG_RUN = /[A-Za-z0-9+=]{28,}/gu;
const HEX_PAIRS = /(?:[0-9A-Fa-f]{2}:){7,}[0-9A-Fa-f]{2}/gu;
/** Of a certificate's number, and of its SHA-256. */
const MAX_SERIAL_BYTES = 20;
const MAX_FINGERPRINT_BYTES = 32;

/** Text between blocks that can hold no key: names, numbers and fingerprints of certificates. */
function isComment(line: string): boolean {
  if (line.length > MAX_COMMENT_CHARACTERS || /[^\P{C}\t]/u.test(line) || /-----|PRIVATE\s*KEY/iu.test(line)) return false;
  const mostBytes = /fingerprint|sha-?256|sha-?1|md5/iu.test(line) ? MAX_FINGERPRINT_BYTES : /serial/iu.test(line) ? MAX_SERIAL_BYTES : 0;
  const isShort = (run: string): boolean => /^(?:=+|\d{28,50})$/u.test(run) || (/^[0-9A-Fa-f]+$/u.test(run) && run.length <= 2 * mostBytes);
  const pairs = line.match(HEX_PAIRS) ?? [];
  return (line.match(LONG_RUN) ?? []).every(isShort) && pairs.every((run) => (run.length + 1) / 3 <= mostBytes);
}

function isCertificate(der: Buffer): boolean {
  return isWithoutFault(() => new X509Certificate(der).raw.equals(der));
}

function isPublicKey(der: Buffer, type: "spki" | "pkcs1"): boolean {
  return isWithoutFault(() => createPublicKey({ key: der, format: "der", type }).export({ format: "der", type }).equals(der));
}

function isRevocationList(der: Buffer): boolean {
  return isOneSequence(der) && isWithoutFault(() => parseRevocationList(der).tbsCertList.issuer.length >= 0);
}

/** Few workspaces hold such a list, and these packages take 87 modules: they are loaded for the first one. */
function parseRevocationList(der: Buffer): X509.CertificateList {
  const load = createRequire(import.meta.url);
  const { AsnConvert } = load("@peculiar/asn1-schema") as typeof Schema;
  const x509 = load("@peculiar/asn1-x509") as typeof X509;
  return AsnConvert.parse(der, x509.CertificateList);
}

/** Whether a sequence of ASN.1 ends where the bytes do (X.690, 8.1.3). */
function isOneSequence(der: Buffer): boolean {
  const first = der[1] ?? 0xff;
  if (der[0] !== 0x30 || first === 0x80) return false;
  if (first < 0x80) return der.length === 2 + first;
  const bytes = first - 0x80;
  return bytes <= 4 && der.length > 2 + bytes && der.length === 2 + bytes + der.readUIntBE(2, bytes);
}

/** The parsers throw errors of many kinds for what is not in their form. */
function isWithoutFault(work: () => boolean): boolean {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

function decoded(content: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
