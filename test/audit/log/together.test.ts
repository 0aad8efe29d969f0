import { copyFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { appendAudit, appendAuditTogether, deferAudit, settleAudit, type AuditLog } from "../../../src/audit/log/log.ts";
import { readAudit, tailAudit } from "../../../src/audit/log/read.ts";
import { verifyAudit } from "../../../src/audit/verify/verify.ts";
import { openStore } from "../../../src/store/store.ts";
import { movableClock, temporaryAudit } from "../../support/temporary-store.ts";
import { addRecord, filledLog, headOf, recordAt, tamper } from "../filled-log.ts";

const ENTRY = { run: "run-1", payload: { kind: "run-end", ending: "done" } } as const;
const OTHER = { kind: "run-end", ending: "failed" } as const;

/** A log of 3 records, to which `count` are added in one transaction; the head before that is kept beside it. */
function withBatch(count: number): AuditLog {
  const log = filledLog(3);
  copyFileSync(headOf(log), `${headOf(log)}.old`);
  appendAuditTogether(log, () => Array.from({ length: count }, () => ENTRY));
  return log;
}

/** The head as a process leaves it that is killed between the commit and the head. */
const killBeforeHead = (log: AuditLog): void => copyFileSync(`${headOf(log)}.old`, headOf(log));

describe("records of one transaction", () => {
  test("are records like others, each with its own place", () => {
    const log = withBatch(4);
    expect(verifyAudit(log)).toMatchObject({ isIntact: true, records: 7 });
    expect([...readAudit(log, {})].map(({ seq, payload }) => [seq, Object.keys(payload)]).at(-1)).toEqual([7, ["ending"]]);
    expect(appendAudit(log, ENTRY).seq).toBe(8);
  });

  test("may all be ahead of the head, which then follows: a process was killed in between", () => {
    const log = withBatch(4);
    killBeforeHead(log);
    expect(verifyAudit(log)).toMatchObject({ isIntact: true, records: 7 });
    expect(appendAudit(log, ENTRY).seq).toBe(8);
    expect(verifyAudit(log)).toMatchObject({ isIntact: true, records: 8 });
  });

  test.each([1, 2, 3, 4, 5, 6])("%i removed from the end are found", (count) => {
    const log = withBatch(4);
    tamper(log, "DELETE FROM audit WHERE seq > ?", 7 - count);
    expect(verifyAudit(log).problems).toEqual([{ seq: 8 - count, what: expect.stringContaining("the end was cut off") }]);
    expect(() => appendAudit(log, ENTRY)).toThrow(expect.objectContaining({ code: "audit-unavailable" }));
  });

  test.each([1, 2, 3])("%i of four removed are found, also where the head did not follow yet", (count) => {
    const log = withBatch(4);
    killBeforeHead(log);
    tamper(log, "DELETE FROM audit WHERE seq > ?", 7 - count);
    expect(verifyAudit(log).problems).toEqual([{ seq: 3, what: expect.stringContaining("the head is an older copy") }]);
    expect(() => appendAudit(log, ENTRY)).toThrow(expect.objectContaining({ code: "audit-unavailable" }));
  });

  test("are one transaction alone: a head of before two is an older copy", () => {
    const log = withBatch(2);
    addRecord(log, 9);
    killBeforeHead(log);
    expect(verifyAudit(log).problems).toEqual([{ seq: 3, what: expect.stringContaining("the head is an older copy") }]);
  });

  test("cannot be made longer by somebody without the key", () => {
    const log = withBatch(2);
    killBeforeHead(log);
    const record = recordAt(log, 5).replace('"seq":5', '"seq":6').replaceAll('"together":5', '"together":6');
    tamper(log, "INSERT INTO audit (seq, record, hash) VALUES (6, ?, ?)", record, "a".repeat(64));
    expect(verifyAudit(log).isIntact).toBe(false);
    expect(() => appendAudit(log, ENTRY)).toThrow(expect.objectContaining({ code: "audit-unavailable" }));
  });

  test("are all there or none", () => {
    const log = filledLog(3);
    const fail = (): never => {
      throw new Error("in the middle");
    };
    expect(() => appendAuditTogether(log, () => [ENTRY, fail()])).toThrow("in the middle");
    expect(verifyAudit(log)).toMatchObject({ isIntact: true, records: 3 });
  });
});

describe("a deferred record", () => {
  test("is not on disk before the next one, and goes there with it, before it, at its own moment", () => {
    const clock = movableClock();
    const log = filledLog(3, temporaryAudit(undefined, clock));
    deferAudit(log, "run-1", () => OTHER);
    const deferredAt = new Date(clock.nowMs()).toISOString();
    clock.advance(5_000);
    const other = { store: openStore(log.store.paths.directory), clock };
    expect(tailAudit(other, { limit: 9 })).toHaveLength(3);
    appendAudit(log, ENTRY);
    expect(tailAudit(other, { limit: 2 })).toMatchObject([
      { seq: 4, at: deferredAt, payload: { ending: "failed" } },
      { seq: 5, payload: { ending: "done" } },
    ]);
    expect(JSON.parse(recordAt(log, 4))).toMatchObject({ together: 5 });
    other.store.close();
  });

  test("is put on disk by whoever of its process reads the log, and with a change of the store", () => {
    const log = filledLog(3);
    deferAudit(log, "run-1", () => OTHER);
    expect(tailAudit(log, { limit: 1 })).toMatchObject([{ seq: 4, payload: { ending: "failed" } }]);
    deferAudit(log, "run-1", () => OTHER);
    settleAudit(log, () => log.store.steps.add("run-1", { kind: "note", atMs: 1, body: "{}" }));
    expect([log.store.audit.end()?.seq, log.store.steps.list("run-1").length]).toEqual([5, 1]);
  });

  test("is made in the transaction that writes it, and stays deferred when that fails", () => {
    const log = filledLog(3);
    deferAudit(log, "run-1", () => {
      log.store.steps.add("run-1", { kind: "note", atMs: 1, body: "{}" });
      return OTHER;
    });
    const fail = (): never => {
      throw new Error("in the middle");
    };
    expect(() => appendAuditTogether(log, fail)).toThrow("in the middle");
    expect([log.store.audit.end()?.seq, log.store.steps.list("run-1").length]).toEqual([3, 0]);
    settleAudit(log);
    expect([log.store.audit.end()?.seq, log.store.steps.list("run-1").length]).toEqual([4, 1]);
  });

  test("waits with a bounded number of others", () => {
    const log = filledLog(3);
    for (let index = 0; index < 100; index += 1) deferAudit(log, "run-1", () => OTHER);
    expect(log.store.audit.end()?.seq).toBeGreaterThan(90);
    expect(verifyAudit(log)).toMatchObject({ isIntact: true, records: 103 });
  });

  test("holds no secret that the log knows", () => {
    const log = { ...filledLog(3), redact: (text: string) => text.replaceAll("hunter22", "[redacted]") };
    deferAudit(log, "run-1", () => ({ ...OTHER, detail: "hunter22" }));
    settleAudit(log);
    expect(recordAt(log, 4)).not.toContain("hunter22");
  });
});
