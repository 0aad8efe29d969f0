import { join } from "node:path";
import { z } from "zod";
import { sha256 } from "../../base/digest.ts";
import type { PolicyFile } from "./files.ts";
import { readStateRecord, writeStateRecord } from "../state/record.ts";

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
  writeStateRecord(trustPath(stateDirectory), { version: 1, policies });
  return { path: entry.path, sha256: entry.sha256 };
}

/** What a person said of a file: that they confirm this text, another text of it, or nothing. */
export function trustIn(file: PolicyFile, stateDirectory: string): "this-text" | "another-text" | "nothing" {
  const known = readTrust(stateDirectory).policies.find(({ path }) => path === file.path);
  if (known === undefined) return "nothing";
  return known.sha256 === sha256(file.text) ? "this-text" : "another-text";
}

function trustPath(stateDirectory: string): string {
  return join(stateDirectory, "trust.json");
}

/** A record that cannot be read trusts nobody, and says so. */
function readTrust(stateDirectory: string): Trust {
  const trust = readStateRecord(trustPath(stateDirectory), trustSchema, { of: "trusted policies", again: "trust your policies anew" });
  return trust ?? { version: 1, policies: [] };
}
