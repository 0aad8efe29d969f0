import type { PolicyFile } from "../../config/policy/files.ts";
import { confirmedText } from "../../config/policy/trust.ts";
import { type Comparison, comparePolicies } from "./comparison.ts";

/**
 * What the texts of a policy change beside those that a person confirmed last. Null: none was confirmed. `chain`: the files of the policy as they were read, its own first;
 * they are compared, whatever the disk holds by now. Throws `bad-policy` where one of both does not load.
 */
export async function changeSinceConfirmed(chain: readonly PolicyFile[], stateDirectory: string): Promise<Comparison | null> {
  const now = new Map(chain.map(({ path, text }) => [path, text]));
  const earlier = new Map(now);
  for (const { path, text } of chain) earlier.set(path, confirmedText(path, stateDirectory) ?? text);
  const isKnown = chain.some(({ path }) => confirmedText(path, stateDirectory) !== null);
  const file = chain[0]?.path;
  if (!isKnown || file === undefined) return null;
  return await comparePolicies({ kind: "file", file, texts: earlier }, { kind: "file", file, texts: now });
}
