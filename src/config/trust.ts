import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { sha256 } from "../base/digest.ts";
import { AgentError } from "../base/errors.ts";
import { makeDirectories } from "../store/state-files.ts";
import type { PolicyFile } from "./policy-files.ts";

const trustSchema = z.strictObject({
  version: z.literal(1),
  policies: z.array(z.strictObject({ path: z.string(), sha256: z.string().regex(/^[0-9a-f]{64}$/u), trustedAt: z.string() })),
});

type Trust = z.output<typeof trustSchema>;

/**
 * Records that a person read a policy file and trusts exactly the text that they were shown: its digest goes into `trust.json`
 * in the state directory. Takes what was read, not a path, so that nobody can change the file in between. Only a
 * person's command may call this.
 */
export function trustPolicy(file: PolicyFile, stateDirectory: string, now: Date): { readonly path: string; readonly sha256: string } {
  const entry = { path: file.path, sha256: sha256(file.text), trustedAt: now.toISOString() };
  const trust = readTrust(stateDirectory);
  const policies = [...trust.policies.filter((known) => known.path !== file.path), entry];
  makeDirectories(stateDirectory);
  const target = trustPath(stateDirectory);
  writeFileSync(`${target}.new`, `${JSON.stringify({ version: 1, policies }, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${target}.new`, target);
  return { path: entry.path, sha256: entry.sha256 };
}

/** Whether a person confirmed this text of this file. */
export function isTrusted(file: PolicyFile, stateDirectory: string): boolean {
  const digest = sha256(file.text);
  return readTrust(stateDirectory).policies.some((known) => known.path === file.path && known.sha256 === digest);
}

function trustPath(stateDirectory: string): string {
  return join(stateDirectory, "trust.json");
}

/** A record that cannot be read trusts nobody, and says so. */
function readTrust(stateDirectory: string): Trust {
  const path = trustPath(stateDirectory);
  if (!existsSync(path)) return { version: 1, policies: [] };
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new AgentError("bad-configuration", `${path} cannot be read. Remove it and trust your policies anew.`, { cause: error });
  }
  const parsed = trustSchema.safeParse(value);
  if (!parsed.success) throw new AgentError("bad-configuration", `${path} is not a record of trusted policies. Remove it and trust your policies anew.`);
  return parsed.data;
}
