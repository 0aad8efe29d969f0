import type { Database, Statement } from "better-sqlite3";
import type { Writer } from "./write-lock.ts";

/** What tables are read and written by. */
export type Statements = Pick<Database, "prepare">;

/** Statements of which each that writes waits for its turn by itself, unless it is a part of a transaction, which has its turn. */
export function statementsInTurn(database: Database, exclusively: Writer["exclusively"]): Statements {
  const prepare = (source: string): Statement => {
    const statement = database.prepare(source);
    if (statement.readonly) return statement;
    const run = statement.run.bind(statement);
    statement.run = (...values) => (database.inTransaction ? run(...values) : exclusively(() => run(...values)));
    return statement;
  };
  return { prepare: prepare as Database["prepare"] };
}
