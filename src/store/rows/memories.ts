import type { Statements } from "../lock/statements.ts";

export type MemoryScope = "workspace" | "schedule" | "user";
export type MemoryCategory = "core" | "daily" | "conversation";

/** Whose an entry is: a workspace's (its path), a job's (its name), the user's (empty). */
export type MemoryPlace = { readonly scope: MemoryScope; readonly place: string };

export type MemoryRow = MemoryPlace & {
  readonly id: string;
  readonly category: MemoryCategory;
  readonly text: string;
  /** JSON. */
  readonly labels: string;
  readonly run: string;
  readonly call: string;
  readonly atMs: number;
};

/** `rank`: how well the words match, the less the better. */
export type MemoryMatch = MemoryRow & { readonly rank: number };

export type MemorySize = { readonly entries: number; readonly bytes: number };

/** Entries of agents' memory. Whatever changes them is done within `exclusively`: an entry and its words are one. */
export type MemoryRows = {
  add(row: MemoryRow): void;
  /** False: there is none. */
  remove(id: string): boolean;
  byId(id: string): MemoryRow | null;
  /** The newest first. */
  list(limit: number): readonly MemoryRow[];
  newest(place: MemoryPlace, limit: number): readonly MemoryRow[];
  /** `query` in FTS5's own language. The best first. */
  search(place: MemoryPlace, query: string, limit: number): readonly MemoryMatch[];
  /** Of one place; absent: of all. */
  size(place?: MemoryPlace): MemorySize;
};

const COLUMNS = "m.id, m.scope, m.place, m.category, m.text, m.labels, m.run, m.call, m.at AS atMs";

export function memoryRows(statements: Statements): MemoryRows {
  const add = statements.prepare(`INSERT INTO memories (id, scope, place, category, text, labels, run, call, at)
    VALUES (@id, @scope, @place, @category, @text, @labels, @run, @call, @atMs)`);
  const addWords = statements.prepare<[string, string]>("INSERT INTO memory_words (rowid, text) SELECT number, ? FROM memories WHERE id = ?");
  const removeWords = statements.prepare<[string]>("DELETE FROM memory_words WHERE rowid = (SELECT number FROM memories WHERE id = ?)");
  const remove = statements.prepare<[string]>("DELETE FROM memories WHERE id = ?");
  const byId = statements.prepare<[string], MemoryRow>(`SELECT ${COLUMNS} FROM memories m WHERE id = ?`);
  const list = statements.prepare<[number], MemoryRow>(`SELECT ${COLUMNS} FROM memories m ORDER BY number DESC LIMIT ?`);
  const newest = statements.prepare<[string, string, number], MemoryRow>(
    `SELECT ${COLUMNS} FROM memories m WHERE scope = ? AND place = ? ORDER BY number DESC LIMIT ?`,
  );
  const search = statements.prepare<[string, string, string, number], MemoryMatch>(
    `SELECT ${COLUMNS}, bm25(memory_words) AS rank FROM memory_words JOIN memories m ON m.number = memory_words.rowid
     WHERE memory_words MATCH ? AND m.scope = ? AND m.place = ? ORDER BY rank LIMIT ?`,
  );
  const size = "SELECT count(*) AS entries, coalesce(sum(length(CAST(text AS BLOB))), 0) AS bytes FROM memories";
  const sizeOfAll = statements.prepare<[], MemorySize>(size);
  const sizeOf = statements.prepare<[string, string], MemorySize>(`${size} WHERE scope = ? AND place = ?`);
  return {
    add: (row) => {
      add.run(row);
      addWords.run(row.text, row.id);
    },
    remove: (id) => {
      removeWords.run(id);
      return remove.run(id).changes > 0;
    },
    byId: (id) => byId.get(id) ?? null,
    list: (limit) => list.all(limit),
    newest: ({ scope, place }, limit) => newest.all(scope, place, limit),
    search: ({ scope, place }, query, limit) => search.all(query, scope, place, limit),
    size: (place) => (place === undefined ? sizeOfAll.get() : sizeOf.get(place.scope, place.place)) ?? { entries: 0, bytes: 0 },
  };
}
