import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../base/digest.ts";
import type { PolicyFile } from "./files.ts";
import { readStateRecord, type RecordShape, writeStateRecord } from "../state/record.ts";

/** `identity`: its device and inode as it was read. */
type TrustedFile = { readonly path: string; readonly sha256: string; readonly trustedAt: string; readonly identity?: string };
type Trust = { readonly version: 1; readonly policies: readonly TrustedFile[] };

/** Without a schema, whose library would be loaded for each call of another agent. */
const TRUST: RecordShape<Trust> = {
  safeParse: (value) => {
    if (!isObject(value) || !hasOnly(value, ["version", "policies"]) || value["version"] !== 1 || !Array.isArray(value["policies"])) return { success: false };
    return value["policies"].every(isTrustedFile) ? { success: true, data: { version: 1, policies: value["policies"] } } : { success: false };
  },
};

function isTrustedFile(value: unknown): value is TrustedFile {
  if (!isObject(value) || !hasOnly(value, ["path", "sha256", "trustedAt", "identity"])) return false;
  const { path, sha256: digest, trustedAt, identity } = value;
  const isText = [path, digest, trustedAt, identity ?? ""].every((each) => typeof each === "string");
  return isText && /^[0-9a-f]{64}$/u.test(String(digest));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasOnly(value: Readonly<Record<string, unknown>>, keys: readonly string[]): boolean {
  return Object.keys(value).every((key) => keys.includes(key));
}

/**
 * Records that a person read a policy file and trusts exactly the text that they were shown: its digest goes into `trust.json`
 * in the state directory, and the text beside it, so that the next one can be compared with it. Takes what was read, not a path, so that nobody can change the file in between. Only a
 * person's command may call this.
 */
export function trustPolicy(file: PolicyFile, stateDirectory: string, now: Date): { readonly path: string; readonly sha256: string } {
  const entry = { path: file.path, sha256: sha256(file.text), trustedAt: now.toISOString(), identity: file.identity };
  const trust = readTrust(stateDirectory);
  const policies = [...trust.policies.filter((known) => known.path !== file.path), entry];
  writeStateRecord(textPath(entry.sha256, stateDirectory), { version: 1, text: file.text });
  writeStateRecord(trustPath(stateDirectory), { version: 1, policies });
  forgetOthers(policies, stateDirectory);
  return { path: entry.path, sha256: entry.sha256 };
}

/**
 * What a person said of a file: that they confirm this text, another text of it, or nothing. It is the same file under another name: whoever made a
 * hard link to it, wrote into it and removed its first name left it to one that nobody looked at.
 */
export function trustIn(file: PolicyFile, stateDirectory: string): "this-text" | "another-text" | "nothing" {
  const { policies } = readTrust(stateDirectory);
  const digest = sha256(file.text);
  const known = policies.find(({ path }) => path === file.path);
  if (known !== undefined) return known.sha256 === digest ? "this-text" : "another-text";
  return policies.some(({ identity, sha256: confirmed }) => identity === file.identity && confirmed !== digest) ? "another-text" : "nothing";
}

/** The text of a file that a person confirmed last. Null: they confirmed none, or it was not kept. `path`: real and absolute. */
export function confirmedText(path: string, stateDirectory: string): string | null {
  const known = readTrust(stateDirectory).policies.find((policy) => policy.path === path);
  if (known === undefined) return null;
  const kept = readStateRecord(textPath(known.sha256, stateDirectory), TEXT, { of: "a confirmed policy", again: "confirm the policy anew" });
  return kept !== null && sha256(kept.text) === known.sha256 ? kept.text : null;
}

type KeptText = { readonly version: 1; readonly text: string };

const TEXT: RecordShape<KeptText> = {
  safeParse: (value) => {
    if (!isObject(value) || value["version"] !== 1 || typeof value["text"] !== "string") return { success: false };
    return { success: true, data: { version: 1, text: value["text"] } };
  },
};

const TEXTS = "confirmed";

function textPath(digest: string, stateDirectory: string): string {
  return join(stateDirectory, TEXTS, `${digest}.json`);
}

/** Texts that a later one replaced. */
function forgetOthers(policies: readonly TrustedFile[], stateDirectory: string): void {
  const kept = new Set(policies.map((policy) => `${policy.sha256}.json`));
  for (const name of readdirSync(join(stateDirectory, TEXTS)))
    if (/^[0-9a-f]{64}\.json$/u.test(name) && !kept.has(name)) rmSync(join(stateDirectory, TEXTS, name));
}

function trustPath(stateDirectory: string): string {
  return join(stateDirectory, "trust.json");
}

/** A record that cannot be read trusts nobody, and says so. */
function readTrust(stateDirectory: string): Trust {
  const trust = readStateRecord(trustPath(stateDirectory), TRUST, { of: "trusted policies", again: "trust your policies anew" });
  return trust ?? { version: 1, policies: [] };
}
