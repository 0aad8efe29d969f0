import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { signPolicy, verifyPolicy } from "../../../src/config/policy/signature.ts";

type Pair = { readonly privateKey: KeyObject; readonly publicKey: KeyObject };

let directory: string;
let file: string;
let keys: { readonly secret: string; readonly open: string };

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "warder-signature-")));
  file = join(directory, "house.yaml");
  writeFileSync(file, "version: 1\nname: house\nextends: base\n");
  keys = newKeys("policy");
});

afterEach(() => rmSync(directory, { recursive: true }));

function newKeys(name: string, pair: Pair = pairOf()): { readonly secret: string; readonly open: string } {
  const [secret, open] = [join(directory, `${name}.key`), join(directory, `${name}.pub`)];
  writeFileSync(secret, pair.privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  writeFileSync(open, pair.publicKey.export({ type: "spki", format: "pem" }));
  return { secret, open };
}

const pairOf = (): Pair => generateKeyPairSync("ed25519");
const finding = (): unknown => verifyPolicy(file, keys.open).files[0]?.finding;

test("a policy is as it was signed until a byte of it changes", () => {
  expect(finding()).toBe("unsigned");
  const { path, key } = signPolicy(file, keys.secret);
  expect([path, finding(), verifyPolicy(file, keys.open).key]).toEqual([`${file}.sig`, "valid", key]);
  writeFileSync(file, "version: 1\nname: house\nextends: base \n");
  expect(finding()).toBe("another-text");
});

test("others can read it, and what cannot be written leaves nothing behind", () => {
  const { path } = signPolicy(file, keys.secret);
  expect(statSync(path).mode & 0o777).toBe(0o666 & ~process.umask());
  rmSync(path);
  mkdirSync(path);
  const there = readdirSync(directory);
  expect(() => signPolicy(file, keys.secret)).toThrow(/house\.yaml\.sig cannot be written \(EISDIR\)\. It is as it was\./u);
  expect(readdirSync(directory)).toEqual(there);
});

test("what it extends is signed by itself, and what is shipped is not looked at", () => {
  const child = join(directory, "child.yaml");
  writeFileSync(child, "version: 1\nname: child\nextends: ./house.yaml\n");
  signPolicy(child, keys.secret);
  const findings = (): unknown => verifyPolicy(child, keys.open).files.map((one) => one.finding);
  expect(findings()).toEqual(["valid", "unsigned"]);
  signPolicy(file, keys.secret);
  expect(findings()).toEqual(["valid", "valid"]);
  // One that extends itself ends.
  writeFileSync(file, "version: 1\nname: house\nextends: ./house.yaml\n");
  signPolicy(file, keys.secret);
  expect(findings()).toEqual(["valid", ...Array.from({ length: 7 }, () => "valid")]);
});

test("the signature of another key, of another file, or broken, is none", () => {
  const other = newKeys("other");
  signPolicy(file, other.secret);
  expect(finding()).toBe("another-key");
  signPolicy(file, keys.secret);
  const line = readFileSync(`${file}.sig`, "latin1");
  for (const broken of ["", line.trimEnd(), `${line}${line}`, line.toUpperCase(), line.replace("ed25519", "ed448"), `${"x".repeat(16_000)}\n`]) {
    writeFileSync(`${file}.sig`, broken);
    expect(finding()).toBe("unreadable");
  }
  const own = readFileSync(`${file}.sig`, "latin1");
  expect(own).not.toBe(line);
  const second = join(directory, "second.yaml");
  writeFileSync(second, "version: 1\nname: second\n");
  signPolicy(second, keys.secret);
  writeFileSync(`${file}.sig`, readFileSync(`${second}.sig`));
  expect(finding()).toBe("another-text");
});

test("keys that are none, of another kind, or open to others are refused", () => {
  const sign = (key: string) => (): unknown => signPolicy(file, key);
  expect(sign(join(directory, "none.key"))).toThrow("There is no key");
  expect(sign(keys.open)).toThrow(/Others may read|no private key/u);
  const curve = newKeys("curve", generateKeyPairSync("ec", { namedCurve: "P-256" }));
  expect(sign(curve.secret)).toThrow("no key of Ed25519");
  expect(() => verifyPolicy(file, curve.open)).toThrow("no key of Ed25519");
  chmodSync(keys.secret, 0o640);
  expect(sign(keys.secret)).toThrow("Others may read the private key");
  writeFileSync(keys.open, "x".repeat(20_000));
  expect(() => verifyPolicy(file, keys.open)).toThrow("longer than 16 KiB");
  expect(() => verifyPolicy(file, directory)).toThrow("regular file");
});

test("what is no policy is not signed, and nothing is written through a link that stands in the way", () => {
  writeFileSync(file, "version: 1\n");
  expect(() => signPolicy(file, keys.secret)).toThrow("no valid policy");
  writeFileSync(file, "version: 1\nname: house\n");
  const kept = join(directory, "kept");
  writeFileSync(kept, "kept");
  symlinkSync(kept, `${file}.sig`);
  mkdirSync(join(directory, "x"));
  signPolicy(file, keys.secret);
  expect([readFileSync(kept, "utf8"), finding()]).toEqual(["kept", "valid"]);
});
