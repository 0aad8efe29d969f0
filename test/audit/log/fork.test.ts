import { copyFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { appendAudit } from "../../../src/audit/log/log.ts";
import { verifyAudit } from "../../../src/audit/verify/verify.ts";
import { temporaryAudit } from "../../support/temporary-store.ts";

test("a record of another history of the same log, whose hash and number are right, is found by the one after it", () => {
  const log = temporaryAudit();
  const append = (detail: string): void => void appendAudit(log, { run: "run-1", payload: { kind: "run-end", ending: "done", detail } });
  const head = join(log.store.paths.keys, "audit.head");
  for (const detail of ["one", "two", "three"]) append(detail);
  copyFileSync(head, `${head}.kept`);
  append("what happened");
  const kept = log.store.audit.at(4);

  // The log is taken back by a record and told otherwise; later the first telling is put in again.
  const database = new Database(log.store.paths.database);
  database.prepare("delete from audit where seq = 4").run();
  copyFileSync(`${head}.kept`, head);
  append("what is told instead");
  append("and what followed");
  expect(verifyAudit(log).isIntact).toBe(true);
  database.prepare("update audit set record = ?, hash = ? where seq = 4").run(kept?.record, kept?.hash);
  database.close();

  expect(verifyAudit(log).problems).toEqual([{ seq: 5, what: "the record does not follow the one before it" }]);
});
