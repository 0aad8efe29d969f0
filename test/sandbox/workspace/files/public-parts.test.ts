import { createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { isPublicOnly, MAX_PUBLIC_BYTES } from "../../../../src/sandbox/workspace/files/public-parts.ts";
import { makeCertificate } from "../../../support/certificate.ts";

const { cert, key } = makeCertificate("example.org");
const { key: otherKey } = makeCertificate("example.net");
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const spki = createPublicKey(key).export({ type: "spki", format: "pem" }).toString();
const keyBody = key.split("\n").filter((line) => line !== "" && !line.startsWith("-----"));
const certDer = new X509Certificate(cert).raw;
const block = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${(der.toString("base64").match(/.{1,64}/gu) ?? []).join("\n")}\n-----END ${label}-----\n`;
const pkcs8 = rsa.privateKey.export({ type: "pkcs8", format: "der" });
const pkcs1 = rsa.privateKey.export({ type: "pkcs1", format: "der" });

/** An empty list of revoked certificates, as `openssl ca -gencrl` makes one. */
const LIST = `MIGmME4CAQEwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEbGlzdBcNMjYxMTI4MjAz
NzE2WhcNMzUwMjE0MjAzNzE2WqAOMAwwCgYDVR0UBAMCAQEwCgYIKoZIzj0EAwID
SAAwRQIgT8QEullNHOeafkSDA1xISG85tvWmOXBwf7f9LpfosgwCIQCnnv5dcwWW
KdAmhBIZR9ZR63J3RUQCglyRM8QFQv2pwQ==`;
const CRL = `-----BEGIN X509 CRL-----\n${LIST}\n-----END X509 CRL-----\n`;

/** As certifi writes what stands above each of its certificates. */
const COMMENTS = `# Issuer: CN=Entrust Root Certification Authority O=Entrust, Inc. OU=www.entrust.net/CPS is incorporated by reference/(c) 2006 Entrust, Inc.
# Label: "NetLock Arany (Class Gold) Főtanúsítvány"
# Serial: 107100113814286530943498393467104906349
# MD5 Fingerprint: d6:a5:c3:ed:5d:dd:3e:00:c1:3d:87:92:1f:1d:3f:e4
# SHA256 Fingerprint: 73:c1:76:43:4f:1b:c6:d5:ad:f4:5b:0e:76:e7:27:28:7c:8d:e5:76:16:c1:e6:e6:14:1a:2b:2c:bc:7d:8e:4c
`;

const PUBLIC: Readonly<Record<string, string | Buffer>> = {
  "a certificate": cert,
  "a bundle with comments": `${COMMENTS}${cert}\n${COMMENTS}${cert}`,
  "a bundle with titles": `##\n## Bundle of CA Root Certificates\n##\n\nGlobalSign Root CA\n==================\n${cert}`,
  "lines that end with CR LF": cert.replaceAll("\n", "\r\n"),
  "a public key": spki,
  "a public key of RSA": rsa.publicKey.export({ type: "pkcs1", format: "pem" }).toString(),
  "a certificate and a public key": cert + spki,
  "a revocation list": CRL,
  "a certificate as DER": certDer,
  "a public key as DER": rsa.publicKey.export({ type: "spki", format: "der" }),
  "a revocation list as DER": Buffer.from(LIST, "base64"),
};

const PRIVATE: Readonly<Record<string, string | Buffer>> = {
  "a key": key,
  "a key behind a bundle": cert + cert + key,
  "a key before a certificate": key + cert,
  "a key of RSA": rsa.privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
  "an encrypted key": cert + rsa.privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" }).toString(),
  "a key in comments": `${cert}${key.replaceAll(/^/gmu, "# ")}`,
  "the lines of a key in comments, without its frame": `${cert}${keyBody.map((line) => `# ${line}`).join("\n")}`,
  "the lines of a key between two certificates": `${cert}${keyBody.join("\n")}\n${cert}`,
  "a key as hexadecimal digits": `${cert}# serial ${pkcs8.toString("hex").slice(0, 300)}`,
  "a key as pairs of digits": `${cert}# SHA256 Fingerprint: ${(pkcs8.toString("hex").slice(0, 200).match(/../gu) ?? []).join(":")}`,
  "a key in the frame of a certificate": block("CERTIFICATE", pkcs8),
  "a key in the frame of a public key": block("PUBLIC KEY", pkcs8),
  "a key of RSA in the frame of a public key": block("RSA PUBLIC KEY", pkcs1),
  "a key in the frame of a list": block("X509 CRL", pkcs8),
  "a key behind a certificate in its frame": block("CERTIFICATE", Buffer.concat([certDer, pkcs8])),
  "a key behind a list in its frame": block("X509 CRL", Buffer.concat([Buffer.from(LIST, "base64"), pkcs8])),
  "a key behind a public key in its frame": block("PUBLIC KEY", Buffer.concat([rsa.publicKey.export({ type: "spki", format: "der" }), pkcs8])),
  "a key in a frame within a frame": cert.replace("-----END CERTIFICATE-----", `${otherKey}-----END CERTIFICATE-----`),
  "a frame that is not closed": `${cert}-----BEGIN CERTIFICATE-----\n${keyBody.join("\n")}\n`,
  "a head of a block": cert.replace("-----BEGIN CERTIFICATE-----\n", `-----BEGIN CERTIFICATE-----\nProc-Type: ${keyBody[0] ?? ""}\n\n`),
  "a frame with spaces before it": `${cert}${key.replaceAll(/^/gmu, "  ")}`,
  "a block of another label": cert + block("PKCS7", certDer),
  "a key as DER": pkcs8,
  "a key of RSA as DER": pkcs1,
  "a key behind a certificate as DER": Buffer.concat([certDer, pkcs8]),
  "a certificate and a key behind a NUL": Buffer.concat([Buffer.from(cert), Buffer.from([0]), pkcs8]),
  "a keystore of Java": Buffer.concat([Buffer.from("feedfeed00000002", "hex"), pkcs8]),
  "more lines than a bundle has": cert + "\n".repeat(60_000),
  "nothing at all": "",
  "no block": "# nothing here\n",
  "text of another encoding": Buffer.concat([Buffer.from(cert), Buffer.from([0xff, 0xfe])]),
  "more than a bundle has": cert.repeat(Math.ceil(MAX_PUBLIC_BYTES / cert.length) + 1),
};

describe("what a file holds", () => {
  test.each(Object.keys(PUBLIC))("is public: %s", (name) => {
    expect(isPublicOnly(Buffer.from(PUBLIC[name] ?? ""))).toBe(true);
  });

  test.each(Object.keys(PRIVATE))("may be private: %s", (name) => {
    expect(isPublicOnly(Buffer.from(PRIVATE[name] ?? ""))).toBe(false);
  });

  test("is private as soon as a byte of a certificate is another one's", () => {
    for (let at = 0; at < certDer.length; at += 7) {
      const longer = Buffer.concat([certDer.subarray(0, at), Buffer.from([0x30]), certDer.subarray(at)]);
      expect(isPublicOnly(longer), String(at)).toBe(false);
    }
  });
});
