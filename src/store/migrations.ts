import type { Database } from "better-sqlite3";
import { AgentError } from "../base/errors.ts";
import type { Writer } from "./lock/write-lock.ts";
import { STEPS } from "./schema.ts";

/** Migrates the database to the newest schema, each step whole or not at all, also when two processes start at once. A current one is only read. */
export function migrate(database: Database, writer: Writer): void {
  if (versionOf(database) === STEPS.length) return;
  writer.exclusively(() => {
    const version = versionOf(database);
    if (version > STEPS.length) {
      throw new AgentError(
        "store-unavailable",
        `The database was written by a newer Warder (schema ${version}, this one knows ${STEPS.length}). Update Warder.`,
      );
    }
    for (const [index, step] of STEPS.entries()) {
      if (index < version) continue;
      database.exec(step);
      database.pragma(`user_version = ${index + 1}`);
    }
  });
}

function versionOf(database: Database): number {
  return Number(database.pragma("user_version", { simple: true }));
}
