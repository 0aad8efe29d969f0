import type { Statements } from "../lock/statements.ts";

/** The last one-time code of a person that was used (as a counter), and how often codes were wrong since. */
export type CodeRow = { readonly counter: number; readonly failures: number; readonly failedAtMs: number | null };

export type CodeRows = {
  of(person: string): CodeRow | null;
  /** Notes a code as used: true when it is newer than every code of this person that was used before. */
  use(person: string, counter: number): boolean;
  fail(person: string, row: { readonly failures: number; readonly nowMs: number }): void;
  /** Of a secret that is no more. */
  forget(person: string): void;
};

export function codeRows(statements: Statements): CodeRows {
  const of = statements.prepare<[string], CodeRow>("SELECT counter, failures, failed_at AS failedAtMs FROM code_uses WHERE person = ?");
  const use = statements.prepare(`INSERT INTO code_uses (person, counter) VALUES (@person, @counter)
    ON CONFLICT (person) DO UPDATE SET counter = @counter, failures = 0 WHERE counter < @counter`);
  const fail = statements.prepare(`INSERT INTO code_uses (person, counter, failures, failed_at) VALUES (@person, -1, @failures, @nowMs)
    ON CONFLICT (person) DO UPDATE SET failures = @failures, failed_at = @nowMs`);
  const forget = statements.prepare<[string]>("DELETE FROM code_uses WHERE person = ?");
  return {
    of: (person) => of.get(person) ?? null,
    use: (person, counter) => use.run({ person, counter }).changes === 1,
    forget: (person) => void forget.run(person),
    fail: (person, row) => void fail.run({ person, ...row }),
  };
}
