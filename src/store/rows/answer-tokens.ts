import type { Statements } from "../lock/statements.ts";

/** A token that answers one question, once, for one person. The token itself is nowhere stored. */
export type AnswerTokenRow = {
  /** SHA-256 of the token. */
  readonly hash: string;
  readonly approval: string;
  readonly rulingDigest: string;
  /** Who holds it. */
  readonly holder: string;
  /** The webhook that it went out by. */
  readonly channel: string;
  readonly expiresAtMs: number;
  readonly usedAtMs: number | null;
};

export type AnswerTokenRows = {
  add(row: Omit<AnswerTokenRow, "usedAtMs">): void;
  /** All of one question, used or not. */
  of(approval: string): readonly AnswerTokenRow[];
  /** Uses it up. True once. */
  use(hash: string, nowMs: number): boolean;
  /** Removes those that expired before a moment. */
  prune(beforeMs: number): void;
};

const COLUMNS = "hash, approval, ruling_digest AS rulingDigest, holder, channel, expires_at AS expiresAtMs, used_at AS usedAtMs";

export function answerTokenRows(statements: Statements): AnswerTokenRows {
  const add = statements.prepare(`INSERT INTO answer_tokens (hash, approval, ruling_digest, holder, channel, expires_at)
    VALUES (@hash, @approval, @rulingDigest, @holder, @channel, @expiresAtMs)`);
  const of = statements.prepare<[string], AnswerTokenRow>(`SELECT ${COLUMNS} FROM answer_tokens WHERE approval = ?`);
  const use = statements.prepare<[number, string]>("UPDATE answer_tokens SET used_at = ? WHERE hash = ? AND used_at IS NULL");
  const prune = statements.prepare<[number]>("DELETE FROM answer_tokens WHERE expires_at < ?");
  return {
    add: (row) => void add.run(row),
    of: (approval) => of.all(approval),
    use: (hash, nowMs) => use.run(nowMs, hash).changes === 1,
    prune: (beforeMs) => void prune.run(beforeMs),
  };
}
