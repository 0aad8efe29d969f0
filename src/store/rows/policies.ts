import type { Statements } from "../lock/statements.ts";

/** Policies that runs were started under, by digest: what a person is shown when one has changed since. */
export type PolicyRows = {
  /** `text`: canonical JSON of the merged policy. */
  keep(digest: string, text: string, nowMs: number): void;
  byDigest(digest: string): string | null;
};

export function policyRows(statements: Statements): PolicyRows {
  const keep = statements.prepare<[string, string, number]>("INSERT OR IGNORE INTO policies (digest, text, seen_at) VALUES (?, ?, ?)");
  const byDigest = statements.prepare<[string], { text: string }>("SELECT text FROM policies WHERE digest = ?");
  return {
    keep: (digest, text, nowMs) => void keep.run(digest, text, nowMs),
    byDigest: (digest) => byDigest.get(digest)?.text ?? null,
  };
}
