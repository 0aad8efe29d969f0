import Database from "better-sqlite3";
import { statementsInTurn } from "./lock/statements.ts";
import { migrate } from "./migrations.ts";
import { ledgerRows } from "./rows/ledger.ts";
import type { Store } from "./store.ts";

/** A ledger of this process alone, empty, that ends with it: for what is supposed and not spent. */
export function openPassingLedger(): Pick<Store, "ledger" | "exclusively" | "close"> {
  const database = new Database(":memory:");
  const exclusively = <T>(work: () => T): T => work();
  migrate(database, { exclusively, inOneTurn: exclusively });
  return { ledger: ledgerRows(statementsInTurn(database, exclusively)), exclusively, close: () => void database.close() };
}
