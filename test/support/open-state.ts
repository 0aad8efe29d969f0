import { existsSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Place } from "./warder-cli.ts";

/** How often a command of this text, or any command, was begun; how many runs have this task: zero as long as there is no such table. The newest run. */
export type OpenState = { permits(command?: string): number; runs(task: string): number; newestRun(): string };

/** The state of a place as it is on disk, read beside the processes that write it: what a command line would take a second each to say. */
export function openState({ state }: Pick<Place, "state">): OpenState {
  const path = join(state, "warder.db");
  const read = (sql: string, ...values: readonly string[]): Record<string, unknown> | null => {
    if (!existsSync(path)) return null;
    let database: Database.Database | null = null;
    try {
      database = new Database(path, { readonly: true });
      return (database.prepare(sql).get(...values) as Record<string, unknown> | undefined) ?? null;
    } catch (error) {
      // Its process has made the file and not yet the tables.
      if (error instanceof Database.SqliteError && /no such table|unable to open|locked/u.test(error.message)) return null;
      throw error;
    } finally {
      database?.close();
    }
  };
  const count = (sql: string, value: string): number => Number(read(sql, value)?.["n"] ?? 0);
  return {
    permits: (command = "") => count("SELECT count(*) AS n FROM audit WHERE kind = 'permit-spent' AND instr(record, ?) > 0", command),
    runs: (task) => count("SELECT count(*) AS n FROM runs WHERE task = ?", task),
    newestRun: () => String(read("SELECT id FROM runs WHERE parent IS NULL ORDER BY started_at DESC, rowid DESC")?.["id"]),
  };
}
