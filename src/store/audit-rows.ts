import type { Database } from "better-sqlite3";

/** A record as stored: `record` is its canonical JSON, `hash` the HMAC over that text. */
export type AuditRow = { readonly seq: number; readonly record: string; readonly hash: string };

export type AuditFilter = {
  readonly limit: number;
  readonly run?: string;
  readonly kind?: string;
  /** Only records after this one. */ readonly after?: number;
};

/** The audit table: rows are added, and never changed. Throws what SQLite throws; `audit/` says what it means. */
export type AuditRows = {
  add(row: AuditRow): void;
  last(): AuditRow | null;
  at(seq: number): AuditRow | null;
  /** The next rows in order, at most `limit`, from `after` + 1 up to `upTo`. */
  page(after: number, upTo: number, limit: number): readonly AuditRow[];
  /** The newest rows that match, oldest of them first. */
  newest(filter: AuditFilter): readonly AuditRow[];
};

export function auditRows(database: Database): AuditRows {
  const add = database.prepare<[number, string, string]>("INSERT INTO audit (seq, record, hash) VALUES (?, ?, ?)");
  const last = database.prepare<[], AuditRow>("SELECT seq, record, hash FROM audit ORDER BY seq DESC LIMIT 1");
  const at = database.prepare<[number], AuditRow>("SELECT seq, record, hash FROM audit WHERE seq = ?");
  const page = database.prepare<[number, number, number], AuditRow>("SELECT seq, record, hash FROM audit WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?");
  return {
    add: (row) => void add.run(row.seq, row.record, row.hash),
    last: () => last.get() ?? null,
    at: (seq) => at.get(seq) ?? null,
    page: (after, upTo, limit) => page.all(after, upTo, limit),
    newest: (filter) => newest(database, filter),
  };
}

function newest(database: Database, filter: AuditFilter): readonly AuditRow[] {
  const conditions = ["seq > ?"];
  const values: (string | number)[] = [filter.after ?? 0];
  if (filter.run !== undefined) {
    conditions.push("run = ?");
    values.push(filter.run);
  }
  if (filter.kind !== undefined) {
    conditions.push("kind = ?");
    values.push(filter.kind);
  }
  const select = database.prepare<(string | number)[], AuditRow>(
    `SELECT seq, record, hash FROM audit WHERE ${conditions.join(" AND ")} ORDER BY seq DESC LIMIT ?`,
  );
  return select.all(...values, filter.limit).toReversed();
}
