import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { holdsPrivateKey } from "../../../../src/sandbox/workspace/files/private-key.ts";
import { makeCertificate } from "../../../support/certificate.ts";

const { cert, key } = makeCertificate("example.org");
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const pkcs1 = rsa.export({ type: "pkcs1", format: "pem" }).toString();
const locked = rsa.export({ type: "pkcs1", format: "pem", cipher: "aes-256-cbc", passphrase: "x" }).toString();
const sealed = rsa.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" }).toString();
const pgp = `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${"lQVYBGV5".repeat(8)}\n-----END PGP PRIVATE KEY BLOCK-----\n`;
const openssh = `-----BEGIN OPENSSH PRIVATE KEY-----\n${"b3BlbnNz".repeat(8)}\n-----END OPENSSH PRIVATE KEY-----\n`;
const age = `# created: 2026-11-29\n# public key: age1x\nAGE-SECRET-KEY-1${"QPZRY9X8".repeat(7)}QQ\n`;
const oneLine = key.trimEnd().replaceAll("\n", "\\n");

const found = (name: string, text: string): boolean => holdsPrivateKey(name, Buffer.from(text));

describe("a private key is found by what a file holds", () => {
  test.each([
    ["PKCS 8", key],
    ["PKCS 1", pkcs1],
    ["PEM with a passphrase", locked],
    ["PKCS 8 with a passphrase", sealed],
    ["OpenSSH", openssh],
    ["PGP", pgp],
    ["PuTTY", "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n"],
    ["age", age],
    ["lines of Windows", key.replaceAll("\n", "\r\n")],
    ["a mark of the byte order", `\u{FEFF}${key}`],
    ["a comment above", `# the deploy key\n\n${key}`],
  ])("at the top, whatever its name: %s", (_kind, text) => {
    for (const name of ["notes", "key.txt", "main.ts", "README.md"]) expect(found(name, text), name).toBe(true);
  });

  test.each([
    ["behind a certificate", cert + key],
    ["in a block of YAML", `apiVersion: v1\nstringData:\n  tls.key: |\n${key.replaceAll(/^/gmu, "    ")}`],
    ["in JSON", JSON.stringify({ type: "service_account", private_key: key })],
    ["in an environment file", `A=1\nKEY="${oneLine}"\n`],
    ["over lines of an environment file", `A=1\nKEY="${key}"\n`],
    ["in a configuration", `client\n<key>\n${key}</key>\n`],
    ["an age key in an environment file", `SOPS_AGE_KEY=AGE-SECRET-KEY-1${"QPZRY9X8".repeat(7)}QQ\n`],
  ])("further below: %s", (_kind, text) => {
    expect(found("settings", text)).toBe(true);
    expect(found("settings.yaml", text)).toBe(true);
    expect(found("settings.ts", text)).toBe(false);
  });

  test.each([
    ["a certificate", cert],
    ["a public key", "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----\n"],
    ["prose", "Paste it between -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----.\n"],
    ["a placeholder", "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n"],
    ["a pattern of a scanner", "rules:\n  - id: key\n    regex: -----BEGIN [A-Z ]*PRIVATE KEY-----\n"],
    ["a header alone", "-----BEGIN RSA PRIVATE KEY-----"],
    ["nothing", ""],
  ])("and not where there is none: %s", (_kind, text) => {
    expect(found("notes", text)).toBe(false);
  });

  test("in time that grows with the file alone", () => {
    const header = "-----BEGIN PRIVATE KEY-----";
    for (const text of [" ", "#\n", '"', "= ", "\n", `${header}\n`, header, "-----BEGIN A ", "AGE-SECRET-KEY-1"])
      expect(found("notes", `${text.repeat(16_000 / text.length)}PRIVATE KEY`)).toBe(false);
  });
});
