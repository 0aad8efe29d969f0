import type { Statements } from "../lock/statements.ts";

/** A record as stored: `record` is its canonical JSON, `hash` the HMAC over that text. */
export type AuditRow = { readonly seq: number; readonly record: string; readonly hash: string };

export type AuditFilter = {
  readonly limit: number;
  readonly run?: string;
  readonly kind?: string;
  readonly tool?: string;
  readonly verdict?: string;
  /** The identifier of a call. */
  readonly call?: string;
  /** ISO 8601 in UTC, as records have it: from this moment on. */
  readonly since?: string;
  /** Up to and without this moment. */
  readonly until?: string;
  /** Only records after this one. */
  readonly after?: number;
};

/** Up to where records were archived, and the hash of the last of them; `mac` proves that Warder wrote it. */
export type AuditBaseRow = { readonly seq: number; readonly hash: string; readonly mac: string };

/** The audit table: rows are added, and never changed. Throws what SQLite throws; `audit/` says what it means. */
export type AuditRows = {
  add(row: AuditRow): void;
  last(): AuditRow | null;
  /** The same without its text. */
  end(): Omit<AuditRow, "record"> | null;
  /** The sequence of the first row. */
  first(): number | null;
  at(seq: number): AuditRow | null;
  /** The next rows in order, at most `limit`, from `after` + 1 up to `upTo`. */
  page(after: number, upTo: number, limit: number): readonly AuditRow[];
  /** The newest rows that match, oldest of them first. */
  newest(filter: AuditFilter): readonly AuditRow[];
  /** The first rows that match, in order. */
  oldest(filter: AuditFilter): readonly AuditRow[];
  /** The sequence of the last record that was written before a moment (ISO 8601 in UTC) and has none behind it that is older; null when there is none. */
  lastBefore(at: string): number | null;
  base(): AuditBaseRow | null;
  /** Puts the base in place and removes the rows that it covers. */
  archiveUpTo(base: AuditBaseRow): void;
};

export function auditRows(statements: Statements): AuditRows {
  const add = statements.prepare<[number, string, string]>("INSERT INTO audit (seq, record, hash) VALUES (?, ?, ?)");
  const last = statements.prepare<[], AuditRow>("SELECT seq, record, hash FROM audit ORDER BY seq DESC LIMIT 1");
  const end = statements.prepare<[], Omit<AuditRow, "record">>("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1");
  const at = statements.prepare<[number], AuditRow>("SELECT seq, record, hash FROM audit WHERE seq = ?");
  const page = statements.prepare<[number, number, number], AuditRow>("SELECT seq, record, hash FROM audit WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?");
  return {
    add: (row) => void add.run(row.seq, row.record, row.hash),
    last: () => last.get() ?? null,
    end: () => end.get() ?? null,
    at: (seq) => at.get(seq) ?? null,
    page: (after, upTo, limit) => page.all(after, upTo, limit),
    newest: (filter) => select(statements, filter, "DESC").toReversed(),
    oldest: (filter) => select(statements, filter, "ASC"),
    ...archiving(statements),
  };
}

function archiving(statements: Statements): Pick<AuditRows, "first" | "lastBefore" | "base" | "archiveUpTo"> {
  // Clocks go back at times: what counts is the place in the log.
  const firstSince = statements.prepare<[string], { seq: number | null }>("SELECT min(seq) AS seq FROM audit WHERE json_extract(record, '$.at') >= ?");
  const end = statements.prepare<[], { seq: number | null }>("SELECT max(seq) AS seq FROM audit");
  const begin = statements.prepare<[], { seq: number | null }>("SELECT min(seq) AS seq FROM audit");
  const base = statements.prepare<[], AuditBaseRow>("SELECT seq, hash, mac FROM audit_base WHERE id = 1");
  const writeBase = statements.prepare("INSERT OR REPLACE INTO audit_base (id, seq, hash, mac) VALUES (1, @seq, @hash, @mac)");
  const remove = statements.prepare<[number]>("DELETE FROM audit WHERE seq <= ?");
  const firstSeq = (): number | null => begin.get()?.seq ?? null;
  return {
    first: firstSeq,
    lastBefore: (at) => {
      const first = firstSeq();
      const since = firstSince.get(at)?.seq ?? null;
      const last = since === null ? (end.get()?.seq ?? null) : since - 1;
      return first === null || last === null || last < first ? null : last;
    },
    base: () => base.get() ?? null,
    archiveUpTo: (row) => {
      writeBase.run(row);
      remove.run(row.seq);
    },
  };
}

const CONDITIONS = {
  run: "run = ?",
  kind: "kind = ?",
  tool: "json_extract(record, '$.tool') = ?",
  verdict: "json_extract(record, '$.verdict') = ?",
  call: "json_extract(record, '$.call') = ?",
  since: "json_extract(record, '$.at') >= ?",
  until: "json_extract(record, '$.at') < ?",
} as const;

function select(statements: Statements, filter: AuditFilter, order: "ASC" | "DESC"): AuditRow[] {
  const wanted = (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]).flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [{ condition: CONDITIONS[name], value }];
  });
  const conditions = ["seq > ?", ...wanted.map(({ condition }) => condition)].join(" AND ");
  const statement = statements.prepare<(string | number)[], AuditRow>(`SELECT seq, record, hash FROM audit WHERE ${conditions} ORDER BY seq ${order} LIMIT ?`);
  return statement.all(filter.after ?? 0, ...wanted.map(({ value }) => value), filter.limit);
}
