import type { Statements } from "../lock/statements.ts";

/** `state` is of everything; `parts` the JSON of a list of what else is stopped by itself. */
export type StopRow = { readonly state: "running" | "stopped"; readonly parts: string; readonly changedBy: string; readonly changedAtMs: number };

/** The stop switch: one row. */
export type StopRows = {
  /** Null when the row is gone, which must be taken as stopped. */
  read(): StopRow | null;
  write(row: StopRow): void;
};

export function stopRows(statements: Statements): StopRows {
  const read = statements.prepare<[], StopRow>("SELECT state, parts, changed_by AS changedBy, changed_at AS changedAtMs FROM stop_switch WHERE id = 1");
  const write = statements.prepare(
    "INSERT OR REPLACE INTO stop_switch (id, state, parts, changed_by, changed_at) VALUES (1, @state, @parts, @changedBy, @changedAtMs)",
  );
  return { read: () => read.get() ?? null, write: (row) => void write.run(row) };
}
