import type { Statements } from "../lock/statements.ts";

export type LedgerRow = {
  /** Whose limit it is counted against. */
  readonly account: string;
  /** What is counted: `actions`, `calls`, `asks`, `tokens`, `cost` in millionths of a US dollar, `minutes` in milliseconds. */
  readonly meter: string;
  readonly amount: number;
  /** `reserved`: nothing has happened yet. */
  readonly state: "reserved" | "spent";
  readonly atMs: number;
  readonly run: string | null;
  readonly owner: string;
};

/** What was taken from limits. Counting and adding must happen inside one `exclusively`. */
export type LedgerRows = {
  /** The sum since `sinceMs`, spent or not; of all time for null. What lies in the future (the clock went back) counts too. */
  sum(account: string, meter: string, sinceMs: number | null): number;
  add(row: LedgerRow): number;
  /** reserved → spent; true when it was still there. */
  spend(id: number): boolean;
  /** Says what was really used of something spent. */
  settle(id: number, amount: number): boolean;
  /** Takes back what was reserved and not spent. */
  release(id: number): boolean;
  /** What is reserved and not spent in the account, with its owner. */
  open(account: string, meter: string): readonly { readonly id: number; readonly owner: string }[];
  /** What counts since `sinceMs`, the oldest first. */
  entries(account: string, meter: string, sinceMs: number): readonly { readonly atMs: number; readonly amount: number }[];
};

export function ledgerRows(statements: Statements): LedgerRows {
  const sum = statements.prepare<[string, string, number], { total: number }>(
    "SELECT coalesce(sum(amount), 0) AS total FROM ledger WHERE account = ? AND meter = ? AND at > ?",
  );
  const add = statements.prepare(
    "INSERT INTO ledger (account, meter, amount, state, at, run, owner) VALUES (@account, @meter, @amount, @state, @atMs, @run, @owner)",
  );
  const spend = statements.prepare<[number]>("UPDATE ledger SET state = 'spent' WHERE id = ? AND state = 'reserved'");
  const settle = statements.prepare<[number, number]>("UPDATE ledger SET amount = ? WHERE id = ? AND state = 'spent'");
  const release = statements.prepare<[number]>("DELETE FROM ledger WHERE id = ? AND state = 'reserved'");
  const open = statements.prepare<[string, string], { id: number; owner: string }>(
    "SELECT id, owner FROM ledger WHERE account = ? AND meter = ? AND state = 'reserved'",
  );
  const entries = statements.prepare<[string, string, number], { atMs: number; amount: number }>(
    "SELECT at AS atMs, amount FROM ledger WHERE account = ? AND meter = ? AND at > ? ORDER BY at",
  );
  return {
    sum: (account, meter, sinceMs) => sum.get(account, meter, sinceMs ?? Number.MIN_SAFE_INTEGER)?.total ?? 0,
    add: (row) => Number(add.run(row).lastInsertRowid),
    spend: (id) => spend.run(id).changes === 1,
    settle: (id, amount) => settle.run(amount, id).changes === 1,
    release: (id) => release.run(id).changes === 1,
    open: (account, meter) => open.all(account, meter),
    entries: (account, meter, sinceMs) => entries.all(account, meter, sinceMs),
  };
}
