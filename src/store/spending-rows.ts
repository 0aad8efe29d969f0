import type { Database } from "better-sqlite3";

export type SpendingRow = { readonly key: string; readonly atMs: number; readonly run: string | null; readonly microUsd: number };

/** What models cost, by the key of a limit. */
export type SpendingRows = {
  /** Millionths of a US dollar since `sinceMs`. What lies in the future (the clock went back) counts too. */
  sum(key: string, sinceMs: number): number;
  add(row: SpendingRow): void;
};

export function spendingRows(database: Database): SpendingRows {
  const sum = database.prepare<[string, number], { total: number }>("SELECT coalesce(sum(micro_usd), 0) AS total FROM spending WHERE key = ? AND at > ?");
  const add = database.prepare("INSERT INTO spending (key, at, run, micro_usd) VALUES (@key, @atMs, @run, @microUsd)");
  return {
    sum: (key, sinceMs) => sum.get(key, sinceMs)?.total ?? 0,
    add: (row) => void add.run(row),
  };
}
