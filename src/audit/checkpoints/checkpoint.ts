import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from "node:crypto";
import { closeSync, fstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "../../base/digest.ts";
import { AgentError } from "../../base/errors.ts";
import { guarded } from "../../store/files/fault.ts";
import { storeOnce } from "../../store/files/state-files.ts";
import { ifThere, openOwn } from "../../store/files/regular-file.ts";
import type { AuditLog } from "../log/log.ts";
import { parseJson } from "../chain/record.ts";
import type { AuditProblem } from "../verify/verify.ts";

/** Up to where the log had gone at a moment, signed (Ed25519). Kept elsewhere, it shows that a log was put back to an earlier state. */
export type Checkpoint = { readonly at: string; readonly seq: number; readonly hash: string; readonly signature: string };

/** Signs the present end of the log; null when it is empty. The key is made when it is first needed: `keys/checkpoint.key`. */
export function signCheckpoint(log: AuditLog): Checkpoint | null {
  return guarded("audit-unavailable", "The audit log cannot be signed", () => {
    const last = log.store.exclusively(() => log.store.audit.end());
    if (last === null) return null;
    const claim = { at: new Date(log.clock.nowMs()).toISOString(), hash: last.hash, seq: last.seq };
    return { ...claim, signature: sign(null, Buffer.from(canonicalJson(claim)), signingKey(log.store.paths.keys)).toString("base64") };
  });
}

/** The key that checkpoints are checked with, as PEM: for who has the checkpoints and not the log's own keys. */
export function checkpointPublicKey(log: AuditLog): string {
  return createPublicKey(signingKey(log.store.paths.keys)).export({ type: "spki", format: "pem" }).toString();
}

/**
 * Holds checkpoints (a JSON object a line) against the log: each must be signed, and the record that it names be here with the
 * hash that it names. Those of archived records are held against the archive's end only. Gives what is wrong.
 */
export function judgeCheckpoints(log: AuditLog, text: string): { readonly checked: number; readonly problems: readonly AuditProblem[] } {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const path = signingKeyPath(log.store.paths.keys);
  const key = readSigningKey(path);
  if (key === null) return { checked: 0, problems: lines.length === 0 ? [] : [{ seq: 0, what: keyFault(path, "is gone") }] };
  const publicKey = createPublicKey(key);
  const problems: AuditProblem[] = [];
  for (const [index, line] of lines.entries()) {
    const checkpoint = readCheckpoint(line);
    if (checkpoint === null) problems.push({ seq: 0, what: `line ${index + 1} of the checkpoints is none` });
    else if (!isSigned(checkpoint, publicKey))
      problems.push({ seq: checkpoint.seq, what: `the checkpoint in line ${index + 1} was not signed by this Warder, or was changed` });
    else problems.push(...compare(log, checkpoint));
  }
  return { checked: lines.length, problems };
}

function compare(log: AuditLog, checkpoint: Checkpoint): readonly AuditProblem[] {
  const { seq, hash, at } = checkpoint;
  const base = log.store.audit.base();
  if (base !== null && seq < base.seq) return [];
  const found = base !== null && seq === base.seq ? base.hash : (log.store.audit.at(seq)?.hash ?? null);
  if (found === hash) return [];
  return [
    {
      seq,
      what:
        found === null
          ? `record ${seq} was written before ${at} and is gone: the log was put back to an earlier state`
          : `record ${seq} is not the one that was here at ${at}`,
    },
  ];
}

function isSigned({ signature, ...claim }: Checkpoint, publicKey: KeyObject): boolean {
  return verify(null, Buffer.from(canonicalJson(claim)), publicKey, Buffer.from(signature, "base64"));
}

function readCheckpoint(line: string): Checkpoint | null {
  const value = parseJson(line);
  if (typeof value !== "object" || value === null || !("at" in value) || !("seq" in value) || !("hash" in value) || !("signature" in value)) return null;
  const { at, seq, hash, signature } = value;
  if (typeof at !== "string" || typeof seq !== "number" || typeof hash !== "string" || typeof signature !== "string") return null;
  return { at, seq, hash, signature };
}

function signingKey(keysDirectory: string): KeyObject {
  const path = signingKeyPath(keysDirectory);
  const known = readSigningKey(path);
  if (known !== null) return known;
  storeOnce(path, generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }));
  return readSigningKey(path) ?? badSigningKey(path, "is gone");
}

/** Null when there is none. */
function readSigningKey(path: string): KeyObject | null {
  const file = ifThere(() => openOwn(path, "read", "audit-unavailable"));
  if (file === null) return null;
  try {
    if ((fstatSync(file).mode & 0o077) !== 0)
      throw new AgentError("audit-unavailable", `${path} can be read by others. Set its mode to 0600; who reads it can sign.`);
    const key = privateKeyIn(readFileSync(file));
    return key?.asymmetricKeyType === "ed25519" ? key : badSigningKey(path, "is damaged");
  } finally {
    closeSync(file);
  }
}

/** Null for what OpenSSL reads no key in, whatever it says of it. */
function privateKeyIn(pem: Buffer): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

function badSigningKey(path: string, what: string): never {
  throw new AgentError("audit-unavailable", keyFault(path, what));
}

function keyFault(path: string, what: string): string {
  return `The key that checkpoints are signed with, ${path}, ${what}. Put it back from a copy; or move what it signed, checkpoints.jsonl, aside with it, and a new one is made.`;
}

function signingKeyPath(keysDirectory: string): string {
  return join(keysDirectory, "checkpoint.key");
}
