import { existsSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Place } from "./warder-cli.ts";

/** How often a command of this text, or any command, was begun; how many runs have this task. Zero as long as there is no such table. */
export type OpenState = { permits(command?: string): number; runs(task: string): number };

/** The state of a place as it is on disk, read beside the processes that write it: what a command line would take a second each to say. */
export function openState({ state }: Pick<Place, "state">): OpenState {
  const path = join(state, "warder.db");
  const count = (sql: string, value: string): number => {
    if (!existsSync(path)) return 0;
    let database: Database.Database | null = null;
    try {
      database = new Database(path, { readonly: true });
      return (database.prepare(sql).get(value) as { n: number }).n;
    } catch (error) {
      // Its process has made the file and not yet the tables.
      if (error instanceof Database.SqliteError && /no such table|unable to open|locked/u.test(error.message)) return 0;
      throw error;
    } finally {
      database?.close();
    }
  };
  return {
    permits: (command = "") => count("SELECT count(*) AS n FROM audit WHERE kind = 'permit-spent' AND instr(record, ?) > 0", command),
    runs: (task) => count("SELECT count(*) AS n FROM runs WHERE task = ?", task),
  };
}
