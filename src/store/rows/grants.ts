import type { Statements } from "../lock/statements.ts";

export type GrantRow = {
  readonly id: string;
  /** What it holds under: policy and workspace, as limits are counted (`budgetKey`). */
  readonly key: string;
  /** The only run that it holds for; null for any. */
  readonly run: string | null;
  readonly kind: "command" | "path";
  readonly pattern: string;
  /** JSON list of the kinds of effects that it answers for. */
  readonly effects: string;
  readonly place: string;
  /** The job for whose runs alone it holds, as that was (`jobRevision`), and the digest of the one call that it covers; null for a pattern. */
  readonly job: string | null;
  readonly jobRevision: string | null;
  readonly exactly: string | null;
  /** The approval that it came from. */
  readonly approval: string;
  readonly grantedBy: string;
  readonly grantedAtMs: number;
  /** Null: until it is revoked. */
  readonly expiresAtMs: number | null;
  readonly uses: number;
  readonly usedAtMs: number | null;
  readonly revokedBy: string | null;
  readonly revokedAtMs: number | null;
};

export type GrantRows = {
  add(row: Omit<GrantRow, "uses" | "usedAtMs" | "revokedBy" | "revokedAtMs">): void;
  /** Those that hold now for a key and a run: the patterns, and those for exactly this call. */
  standing(key: string, run: string, about: { readonly nowMs: number; readonly exactly: string | null }): readonly GrantRow[];
  /** Counts a use; false when it holds no longer. */
  use(id: string, nowMs: number): boolean;
  /** False when it is unknown or was revoked before. */
  revoke(id: string, by: string, nowMs: number): boolean;
  /** Ends those of a run, because the run has ended. */
  endRun(run: string, nowMs: number): void;
  /** Revokes those of a run that came from this call. */
  takeBack(run: string, call: string, by: string, nowMs: number): void;
  byId(id: string): GrantRow | null;
  /** All, the newest first. */
  list(limit: number): readonly GrantRow[];
};

const COLUMNS = `id, key, run, kind, pattern, effects, place, job, job_revision AS jobRevision, exactly, approval, granted_by AS grantedBy, granted_at AS grantedAtMs, expires_at AS expiresAtMs,
  uses, used_at AS usedAtMs, revoked_by AS revokedBy, revoked_at AS revokedAtMs`;
/** A clock that went back this far would make a grant that ends last longer than a person said: it holds no more. */
export const GRANT_CLOCK_SLACK_MS = 86_400_000;
const HOLDS = `revoked_at IS NULL AND (expires_at IS NULL OR (expires_at > @nowMs AND granted_at <= @nowMs + ${GRANT_CLOCK_SLACK_MS}))`;

export function grantRows(statements: Statements): GrantRows {
  const add =
    statements.prepare(`INSERT INTO grants (id, key, run, kind, pattern, effects, place, job, job_revision, exactly, approval, granted_by, granted_at, expires_at)
    VALUES (@id, @key, @run, @kind, @pattern, @effects, @place, @job, @jobRevision, @exactly, @approval, @grantedBy, @grantedAtMs, @expiresAtMs)`);
  const standing = statements.prepare<[{ key: string; run: string; nowMs: number; exactly: string | null }], GrantRow>(
    `SELECT ${COLUMNS} FROM grants WHERE key = @key AND (run IS NULL OR run = @run) AND (exactly IS NULL OR exactly = @exactly) AND ${HOLDS} ORDER BY granted_at`,
  );
  const use = statements.prepare(`UPDATE grants SET uses = uses + 1, used_at = @nowMs WHERE id = @id AND ${HOLDS}`);
  const revoke = statements.prepare("UPDATE grants SET revoked_by = @by, revoked_at = @nowMs WHERE id = @id AND revoked_at IS NULL");
  const endRun = statements.prepare("UPDATE grants SET expires_at = @nowMs WHERE run = @run AND revoked_at IS NULL AND expires_at IS NULL");
  const takeBack = statements.prepare(`UPDATE grants SET revoked_by = @by, revoked_at = @nowMs WHERE run = @run AND revoked_at IS NULL
    AND approval IN (SELECT id FROM approvals WHERE run = @run AND call = @call)`);
  const byId = statements.prepare<[string], GrantRow>(`SELECT ${COLUMNS} FROM grants WHERE id = ?`);
  const list = statements.prepare<[number], GrantRow>(`SELECT ${COLUMNS} FROM grants ORDER BY granted_at DESC, rowid DESC LIMIT ?`);
  return {
    add: (row) => void add.run(row),
    standing: (key, run, about) => standing.all({ key, run, ...about }),
    use: (id, nowMs) => use.run({ id, nowMs }).changes === 1,
    revoke: (id, by, nowMs) => revoke.run({ id, by, nowMs }).changes === 1,
    endRun: (run, nowMs) => void endRun.run({ run, nowMs }),
    takeBack: (run, call, by, nowMs) => void takeBack.run({ run, call, by, nowMs }),
    byId: (id) => byId.get(id) ?? null,
    list: (limit) => list.all(limit),
  };
}
