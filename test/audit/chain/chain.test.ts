import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { appendAudit, type AuditLog } from "../../../src/audit/log/log.ts";
import { tailAudit } from "../../../src/audit/log/read.ts";
import { verifyAudit } from "../../../src/audit/verify/verify.ts";
import { openStore } from "../../../src/store/store.ts";
import { RULING } from "../../support/ruling-record.ts";
import { temporaryAudit } from "../../support/temporary-store.ts";
import { filledLog, headOf, keyOf, recordAt, seqsOf, tamper } from "../filled-log.ts";

describe("the audit chain", () => {
  test("verifies what it wrote, and tells it again in order", () => {
    const log = filledLog();
    expect(verifyAudit(log)).toEqual({ isIntact: true, records: 12, problems: [], interrupted: [], archives: [] });
    expect(tailAudit(log, { limit: 2 }).map((record) => record.payload["detail"])).toEqual(["record 11", "record 12"]);
    expect(tailAudit(log, { limit: 100, run: "run-1" }).map((record) => record.seq)).toEqual([1, 4, 7, 10]);
    expect(tailAudit(log, { limit: 100, kind: "ruling" })).toEqual([]);
    expect(tailAudit(log, { limit: 100, after: 10 }).map((record) => record.seq)).toEqual([11, 12]);
  });

  test("verifies an empty log", () => {
    expect(verifyAudit(temporaryAudit())).toEqual({ isIntact: true, records: 0, problems: [], interrupted: [], archives: [] });
  });

  test("no payload can name its own place in the log", () => {
    const log = filledLog(1);
    const payload = { kind: "run-end", ending: "done", seq: 99, previous: "x", run: "other", at: "never" } as unknown as Parameters<
      typeof appendAudit
    >[1]["payload"];
    expect(appendAudit(log, { run: "run-9", payload }).seq).toBe(2);
    expect(tailAudit(log, { limit: 1 })).toMatchObject([{ seq: 2, run: "run-9", kind: "run-end" }]);
    expect(verifyAudit(log).isIntact).toBe(true);
  });

  test("no record holds a secret that the log knows, whichever field or key it stands in", () => {
    const redact = (text: string): string => text.replaceAll("hunter22", "[redacted: PASSWORD]");
    const log = { ...temporaryAudit(), redact };
    const input = { hunter22: [{ deep: "before hunter22 after" }] };
    appendAudit(log, { run: "run-1", payload: { ...RULING, input, reason: "hunter22" } });
    expect(recordAt(log, 1)).not.toContain("hunter22");
    const kept = { "[redacted: PASSWORD]": [{ deep: "before [redacted: PASSWORD] after" }] };
    expect(tailAudit(log, { limit: 1 })).toMatchObject([{ payload: { input: kept, reason: "[redacted: PASSWORD]" } }]);
    expect(verifyAudit(log).isIntact).toBe(true);
  });
});

describe("tampering is found and located", () => {
  test("every single field of a record, changed to another valid value", () => {
    const changes: Record<string, unknown> = {
      at: "2026-01-02T03:04:06.000Z",
      detail: "record 5!",
      ending: "failed",
      kind: "run-start",
      previous: "0".repeat(64),
      run: "run-x",
      seq: 6,
    };
    for (const [field, value] of Object.entries(changes)) {
      const log = filledLog();
      const record = { ...(JSON.parse(recordAt(log, 5)) as Record<string, unknown>), [field]: value };
      tamper(log, "UPDATE audit SET record = ? WHERE seq = 5", JSON.stringify(record));
      expect(seqsOf(log), field).toContain(5);
    }
  });

  test("a space that changes no meaning", () => {
    const log = filledLog();
    tamper(log, "UPDATE audit SET record = record || ' ' WHERE seq = 5");
    expect(seqsOf(log)).toEqual([5]);
  });

  test("a changed hash", () => {
    const log = filledLog();
    tamper(log, "UPDATE audit SET hash = ? WHERE seq = 5", "0".repeat(64));
    expect(seqsOf(log)).toEqual([5]);
  });

  test("the hash of the last record", () => {
    const log = filledLog();
    tamper(log, "UPDATE audit SET hash = ? WHERE seq = 12", "0".repeat(64));
    expect(seqsOf(log)).toEqual([12, 12]);
  });

  test.each([1, 2, 7, 11])("record %i removed from the middle", (seq) => {
    const log = filledLog();
    tamper(log, "DELETE FROM audit WHERE seq = ?", seq);
    expect(verifyAudit(log).problems).toEqual([{ seq, what: `record ${seq} is missing` }]);
  });

  test("records removed from the middle, and those after them moved up", () => {
    const log = filledLog();
    tamper(log, "DELETE FROM audit WHERE seq IN (5, 6)");
    const database = new Database(log.store.paths.database);
    for (let seq = 7; seq <= 12; seq += 1) database.prepare("UPDATE audit SET seq = ? WHERE seq = ?").run(seq - 2, seq);
    database.close();
    const report = verifyAudit(log);
    expect(report.problems[0]).toEqual({ seq: 5, what: "the record was written as number 7 and stands in another place" });
    expect(report.problems.at(-1)).toEqual({ seq: 11, what: expect.stringContaining("records 11 to 12 were written and are gone") });
  });

  test.each([1, 2, 5, 12])("%i records removed from the end", (count) => {
    const log = filledLog();
    tamper(log, "DELETE FROM audit WHERE seq > ?", 12 - count);
    expect(verifyAudit(log).problems).toEqual([{ seq: 13 - count, what: expect.stringContaining("the end was cut off") }]);
  });

  test("two rows swapped", () => {
    const log = filledLog();
    const [fourth, fifth] = [log.store.audit.at(4), log.store.audit.at(5)];
    if (fourth === null || fifth === null) throw new Error("no rows");
    tamper(log, "UPDATE audit SET record = ?, hash = ? WHERE seq = 4", fifth.record, fifth.hash);
    tamper(log, "UPDATE audit SET record = ?, hash = ? WHERE seq = 5", fourth.record, fourth.hash);
    expect(seqsOf(log)).toEqual(expect.arrayContaining([4, 5]));
  });

  test("a record copied to the end", () => {
    const log = filledLog();
    tamper(log, "INSERT INTO audit (seq, record, hash) SELECT 13, record, hash FROM audit WHERE seq = 12");
    expect(seqsOf(log)).toContain(13);
  });

  test("a record that was made up without the key", () => {
    const log = filledLog();
    const record = recordAt(log, 12).replace('"seq":12', '"seq":13');
    tamper(log, "INSERT INTO audit (seq, record, hash) VALUES (13, ?, ?)", record, "a".repeat(64));
    expect(seqsOf(log)).toEqual(expect.arrayContaining([12, 13]));
  });

  test("every byte of the head", () => {
    const log = filledLog();
    const head = readFileSync(headOf(log));
    for (let offset = 0; offset < head.length; offset += 1) {
      const changed = Buffer.from(head);
      changed[offset] = (changed[offset] ?? 0) ^ 1;
      writeFileSync(headOf(log), changed);
      expect(verifyAudit(log).problems, `byte ${offset}`).toEqual([{ seq: 12, what: expect.stringContaining("the head of the log was altered") }]);
    }
    writeFileSync(headOf(log), head);
    expect(verifyAudit(log).isIntact).toBe(true);
  });

  test("a head that is gone, and a head of an earlier day", () => {
    const log = filledLog();
    copyFileSync(headOf(log), `${headOf(log)}.old`);
    for (let index = 0; index < 3; index += 1) appendAudit(log, { run: null, payload: { kind: "stop", state: "stopped", by: "test" } });
    copyFileSync(`${headOf(log)}.old`, headOf(log));
    expect(verifyAudit(log).problems).toEqual([{ seq: 12, what: expect.stringContaining("the head is an older copy") }]);
    rmSync(headOf(log));
    expect(verifyAudit(log).problems).toEqual([{ seq: 15, what: "the head of the log is gone" }]);
  });

  test("another key, and no key", () => {
    const log = filledLog();
    writeFileSync(keyOf(log), Buffer.alloc(32, 7));
    const { problems } = verifyAudit(log);
    expect(problems[0]).toEqual({ seq: 1, what: expect.stringContaining("the key was replaced") });
    expect(problems.at(-1)).toEqual({ seq: 12, what: expect.stringContaining("the head was not written with this key") });
    rmSync(keyOf(log));
    expect(verifyAudit(log).problems).toEqual([{ seq: 0, what: expect.stringContaining("the audit key is gone") }]);
  });

  test("a database restored from an older copy, and the log does not go on over it", () => {
    const log = filledLog();
    const { database } = log.store.paths;
    const open = new Database(database);
    open.prepare("VACUUM INTO ?").run(`${database}.old`);
    open.close();
    for (let index = 0; index < 4; index += 1) appendAudit(log, { run: null, payload: { kind: "stop", state: "stopped", by: "test" } });
    log.store.close();
    for (const suffix of ["-wal", "-shm"]) rmSync(`${database}${suffix}`, { force: true });
    copyFileSync(`${database}.old`, database);
    const store = openStore(log.store.paths.directory);
    const restored = { store, clock: log.clock };
    expect(verifyAudit(restored).problems).toEqual([
      { seq: 13, what: expect.stringContaining("records 13 to 16 were written and are gone, or the database is an older copy") },
    ]);
    expect(() => appendAudit(restored, { run: null, payload: { kind: "stop", state: "running", by: "test" } })).toThrow(
      expect.objectContaining({ code: "audit-unavailable" }),
    );
    store.close();
  });
});

describe("a log that was tampered with is not continued", () => {
  const damages: Record<string, (log: AuditLog) => void> = {
    "the last record is gone": (log) => tamper(log, "DELETE FROM audit WHERE seq = 12"),
    "all records are gone": (log) => tamper(log, "DELETE FROM audit"),
    "the head is gone": (log) => rmSync(headOf(log)),
    "the head is altered": (log) => writeFileSync(headOf(log), "nothing"),
    "the key is gone": (log) => rmSync(keyOf(log)),
    "all records and the head are gone": (log) => {
      tamper(log, "DELETE FROM audit");
      rmSync(headOf(log));
    },
    "all records and the key are gone": (log) => {
      tamper(log, "DELETE FROM audit");
      rmSync(keyOf(log));
    },
    "a record was added": (log) => tamper(log, "INSERT INTO audit (seq, record, hash) VALUES (13, '{}', 'x')"),
  };
  test.each(Object.keys(damages))("%s", (name) => {
    const log = filledLog();
    damages[name]?.(log);
    expect(() => appendAudit(log, { run: null, payload: { kind: "stop", state: "stopped", by: "test" } })).toThrow(
      expect.objectContaining({ code: "audit-unavailable" }),
    );
  });
});
