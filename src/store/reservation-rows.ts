import type { Database } from "better-sqlite3";

export type ReservationKind = "action" | "ask";

export type ReservationRow = {
  readonly key: string;
  readonly kind: ReservationKind;
  readonly atMs: number;
  readonly run: string | null;
  readonly owner: string;
};

/** Reservations against sliding windows. Counting and adding must happen inside one `exclusively`. */
export type ReservationRows = {
  /** How many stand for the key since `sinceMs`, spent or not. What lies in the future (the clock went back) counts too. */
  count(key: string, kind: ReservationKind, sinceMs: number): number;
  add(row: ReservationRow): number;
  /** reserved → spent; true when it was still there. */
  spend(id: number): boolean;
  /** Takes back what was reserved and not spent. */
  release(id: number): boolean;
  /** What is reserved and not spent for the key, with its owner. */
  open(key: string, kind: ReservationKind): readonly { readonly id: number; readonly owner: string }[];
};

export function reservationRows(database: Database): ReservationRows {
  const count = database.prepare<[string, string, number], { n: number }>("SELECT count(*) AS n FROM reservations WHERE key = ? AND kind = ? AND at > ?");
  const add = database.prepare("INSERT INTO reservations (key, kind, state, at, run, owner) VALUES (@key, @kind, 'reserved', @atMs, @run, @owner)");
  const spend = database.prepare<[number]>("UPDATE reservations SET state = 'spent' WHERE id = ? AND state = 'reserved'");
  const release = database.prepare<[number]>("DELETE FROM reservations WHERE id = ? AND state = 'reserved'");
  const open = database.prepare<[string, string], { id: number; owner: string }>(
    "SELECT id, owner FROM reservations WHERE key = ? AND kind = ? AND state = 'reserved'",
  );
  return {
    count: (key, kind, sinceMs) => count.get(key, kind, sinceMs)?.n ?? 0,
    add: (row) => Number(add.run(row).lastInsertRowid),
    spend: (id) => spend.run(id).changes === 1,
    release: (id) => release.run(id).changes === 1,
    open: (key, kind) => open.all(key, kind),
  };
}
