import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { AgentError } from "../../base/errors.ts";
import { readPolicyDocument } from "../../policy/language/document.ts";
import { openRegular } from "../../store/files/regular-file.ts";
import { isShipped } from "../shipped-policies.ts";
import { parentPath, policyPath, readPolicyFile, type PolicyFile } from "./files.ts";

/** What is signed begins like this, so that no signature of anything else is one of a policy. */
const PREFIX = "warder policy 1\n";
const LINE = /^warder-policy-1 ed25519 ([0-9a-f]{64}) ([A-Za-z0-9+/]{86}==)\n$/u;
const MAX_BYTES = 16 * 1024;
const MAX_FILES = 8;

/** A file of a policy, and what was found of its signature. */
export type SignedFile = {
  readonly file: string;
  readonly finding: "valid" | "unsigned" | "unreadable" | "another-key" | "another-text";
};

/** What a key is known by: the SHA-256 of its public part. */
function fingerprint(key: KeyObject): string {
  return createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("hex");
}

function signaturePath(path: string): string {
  return `${path}.sig`;
}

/** Signs the text of one policy file, and writes the signature beside it. Throws `bad-policy` for what is no policy, `bad-configuration` for what is no private key of one's own. */
export function signPolicy(file: string, keyPath: string): { readonly path: string; readonly key: string } {
  const read = readPolicyFile(policyPath(file, process.cwd()), file);
  const reading = readPolicyDocument(read.file, read.text);
  if ("diagnostics" in reading)
    throw new AgentError("bad-policy", `${file} is no valid policy, so it is not signed.`, { remedy: `Run: warder policy check ${file}` });
  const key = readKey(keyPath, "private");
  const signature = sign(null, signedBytes(read), key).toString("base64");
  const path = signaturePath(read.path);
  const known = fingerprint(createPublicKey(key));
  writeWhole(path, `warder-policy-1 ed25519 ${known} ${signature}\n`);
  return { path, key: known };
}

/** Looks at the signatures of a policy and of all that it extends, but for what is shipped. Throws as `signPolicy` does. */
export function verifyPolicy(file: string, keyPath: string): { readonly files: readonly SignedFile[]; readonly key: string } {
  const key = readKey(keyPath, "public");
  const known = fingerprint(key);
  const chain: PolicyFile[] = [readPolicyFile(policyPath(file, process.cwd()), file)];
  const files: SignedFile[] = [];
  for (let next = chain[0]; next !== undefined && files.length < MAX_FILES; next = parentOf(next)) {
    files.push({ file: next.file, finding: findingOf(next, key, known) });
  }
  return { files, key: known };
}

/** Undefined: there is none, or a shipped one. */
function parentOf(child: PolicyFile): PolicyFile | undefined {
  const reading = readPolicyDocument(child.file, child.text);
  if ("diagnostics" in reading) throw new AgentError("bad-policy", `${child.file} is no valid policy.`, { remedy: `Run: warder policy check ${child.file}` });
  const { extends: parent } = reading.document;
  if (parent === undefined) return undefined;
  const path = parentPath(parent, child);
  const read = readPolicyFile(path, path);
  return isShipped(read.path) ? undefined : read;
}

function findingOf(read: PolicyFile, key: KeyObject, known: string): SignedFile["finding"] {
  const text = readSmall(signaturePath(read.path));
  if (text === null) return "unsigned";
  const match = LINE.exec(text.toString("latin1"));
  if (match === null) return "unreadable";
  const [, by, signature = ""] = match;
  if (by !== known) return "another-key";
  return verify(null, signedBytes(read), key, Buffer.from(signature, "base64")) ? "valid" : "another-text";
}

function signedBytes({ text }: PolicyFile): Buffer {
  return Buffer.from(`${PREFIX}${text}`, "utf8");
}

function readKey(path: string, kind: "private" | "public"): KeyObject {
  const remedy =
    kind === "private"
      ? "Make one: openssl genpkey -algorithm ed25519 -out policy.key && chmod 600 policy.key"
      : "Take it from the private key: openssl pkey -in policy.key -pubout -out policy.pub";
  const pem = readSmall(path, kind === "private" ? 0o077 : 0);
  if (pem === null) throw new AgentError("bad-configuration", `There is no key ${path}.`, { remedy });
  try {
    const key = kind === "private" ? createPrivateKey(pem) : createPublicKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch (error) {
    throw new AgentError("bad-configuration", `${path} is no ${kind} key in PEM.`, { cause: error, remedy });
  }
  throw new AgentError("bad-configuration", `${path} is no key of Ed25519.`, { remedy });
}

/** Null: there is none. Throws `bad-configuration` for one that is too long, or that others may read who must not. */
function readSmall(path: string, closedTo = 0): Buffer | null {
  let file: number;
  try {
    file = openRegular(path, "read", "bad-configuration");
  } catch (error) {
    if (error instanceof AgentError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    throw new AgentError("bad-configuration", `${path} cannot be read (${code ?? "unknown error"}).`, { cause: error });
  }
  try {
    const { size, mode } = fstatSync(file);
    if (size > MAX_BYTES) throw new AgentError("bad-configuration", `${path} is longer than 16 KiB.`, { remedy: "Name the key, or put the signature back." });
    if ((mode & closedTo) !== 0) throw new AgentError("bad-configuration", `Others may read the private key ${path}.`, { remedy: `Run: chmod 600 ${path}` });
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

// Whoever verifies a signature is often somebody else, so that it is no secret file.
function writeWhole(path: string, text: string): void {
  const draft = `${path}.${String(process.pid)}.new`;
  try {
    rmSync(draft, { force: true });
    const file = openSync(draft, "wx");
    try {
      writeFileSync(file, text);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw new AgentError("bad-configuration", `${path} cannot be written (${code ?? "unknown error"}). It is as it was.`, {
      cause: error,
      remedy: "Free some space, or see who may write in its directory.",
    });
  }
}
