import { createHash } from "node:crypto";

/** Java's own word in the sum of every store, and the password that everybody knows: the sum protects nothing, but some programs want it right. */
const SALT = "Mighty Aphrodite";
const PASSWORD = "changeit";

/**
 * The certificates of a PEM text as a trust store that every Java reads (JKS, version 2: sun.security.provider.JavaKeyStore). Java takes no PEM, and certificates in
 * PKCS #12 only with an attribute of its own.
 */
export function javaTrustStore(pem: string): Buffer {
  const certificates = [...pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/gu)].map(([, text = ""]) => Buffer.from(text, "base64"));
  const entries = certificates.flatMap((certificate, index) => [
    // A trusted certificate: its name, when it was entered, its kind, itself.
    number(2),
    word(String(index)),
    Buffer.alloc(8),
    word("X.509"),
    number(certificate.length),
    certificate,
  ]);
  const content = Buffer.concat([number(0xfe_ed_fe_ed), number(2), number(certificates.length), ...entries]);
  const sum = createHash("sha1").update(Buffer.from(PASSWORD, "utf16le").swap16()).update(SALT).update(content).digest();
  return Buffer.concat([content, sum]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function word(text: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([length, Buffer.from(text)]);
}
