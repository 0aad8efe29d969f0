// Begins to write the new database FILE, says so, and lets it go a moment later.
import { writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import Database from "better-sqlite3";

const database = new Database(process.argv[2] ?? "");
database.exec("BEGIN IMMEDIATE");
writeSync(1, "held\n");
await setTimeout(300);
database.exec("ROLLBACK");
database.close();
