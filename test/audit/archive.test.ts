import { execFileSync } from "node:child_process";
import { appendFileSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { archiveAudit, type Archived } from "../../src/audit/archive.ts";
import type { AuditLog } from "../../src/audit/log/log.ts";
import { tailAudit } from "../../src/audit/log/read.ts";
import { verifyAudit } from "../../src/audit/verify/verify.ts";
import { movableClock, temporaryAudit, temporaryDirectory, temporaryStore } from "../support/temporary-store.ts";
import { addRecord, filledLog, headOf, recordAt, seqsOf, tamper } from "./filled-log.ts";

const HOUR_MS = 3_600_000;

type Scene = { readonly log: AuditLog; readonly directory: string; readonly nowMs: () => number; readonly advance: (ms: number) => void };

/** Twelve records an hour ago, and four now. */
function scene(): Scene {
  const clock = movableClock();
  const log = filledLog(12, temporaryAudit(temporaryStore(), clock));
  clock.advance(HOUR_MS);
  for (let index = 13; index <= 16; index += 1) addRecord(log, index);
  return { log, directory: temporaryDirectory(), nowMs: () => clock.nowMs(), advance: (ms) => clock.advance(ms) };
}

function archived({ log, directory, nowMs }: Scene): Archived {
  const done = archiveAudit(log, nowMs(), directory);
  if (done === null) throw new Error("nothing was archived");
  return done;
}

describe("an archived log", () => {
  test("verifies, file and rest, and says what was moved", () => {
    const here = scene();
    const { file, ...done } = archived(here);
    expect(done).toMatchObject({ first: 1, last: 12 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(verifyAudit(here.log)).toMatchObject({ isIntact: true, records: 5, archives: [{ first: 1, last: 12, file, state: "whole" }] });
    expect(tailAudit(here.log, { limit: 100 }).map(({ seq }) => seq)).toEqual([13, 14, 15, 16, 17]);
    expect(tailAudit(here.log, { limit: 1 })[0]).toMatchObject({ kind: "log-archived", payload: { first: 1, last: 12, file } });
    expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(13);
  });

  test("goes on, and is archived again, also when nothing was written since", () => {
    const here = scene();
    archived(here);
    addRecord(here.log, 18);
    here.advance(HOUR_MS);
    expect(archived(here)).toMatchObject({ first: 13, last: 18 });
    here.advance(HOUR_MS);
    expect(archived(here)).toMatchObject({ first: 19, last: 19 });
    expect(verifyAudit(here.log)).toMatchObject({ isIntact: true, records: 1, archives: [{ first: 19 }, { first: 13 }, { first: 1, state: "whole" }] });
  });

  test("leaves alone what is not that old", () => {
    const here = scene();
    expect(archiveAudit(here.log, here.nowMs() - 2 * HOUR_MS, here.directory)).toBeNull();
    expect(verifyAudit(here.log)).toMatchObject({ isIntact: true, records: 16, archives: [] });
  });

  test("a clock that went back moves nothing that stands behind a newer record", () => {
    const clock = movableClock();
    const log = temporaryAudit(temporaryStore(), clock);
    addRecord(log, 1);
    clock.advance(2 * HOUR_MS);
    addRecord(log, 2);
    clock.advance(-2 * HOUR_MS);
    addRecord(log, 3);
    expect(archiveAudit(log, clock.nowMs() + HOUR_MS, temporaryDirectory())).toMatchObject({ first: 1, last: 1 });
  });

  test("a row that is put back in the place of one that was archived is found: who reads the log would be shown it", () => {
    const here = scene();
    archived(here);
    const record = recordAt(here.log, 13).replace("record 13", "record XX").replace('"seq":13', '"seq":5');
    tamper(here.log, "INSERT INTO audit (seq, record, hash) VALUES (5, ?, 'none')", record);
    expect(tailAudit(here.log, { limit: 100 }).map(({ seq }) => seq)).toContain(5);
    expect(verifyAudit(here.log)).toMatchObject({ isIntact: false, problems: [{ seq: 5 }] });
  });

  test("a row before the first record is found", () => {
    const log = filledLog(3);
    tamper(log, "INSERT INTO audit (seq, record, hash) VALUES (-2, ?, 'none')", recordAt(log, 2));
    expect(verifyAudit(log)).toMatchObject({ isIntact: false, problems: [{ seq: -2 }] });
  });

  test("a file that is elsewhere is said, and is no tampering", () => {
    const here = scene();
    const { file } = archived(here);
    rmSync(file);
    expect(verifyAudit(here.log)).toMatchObject({ isIntact: true, archives: [{ state: "absent" }] });
  });

  test.each([
    ["a FIFO", (file: string) => void execFileSync("mkfifo", [file])],
    ["a directory", (file: string): void => mkdirSync(file)],
  ])("%s in the place of its file is refused and not waited for", (_what, put) => {
    const here = scene();
    const { file } = archived(here);
    rmSync(file);
    put(file);
    expect(() => verifyAudit(here.log)).toThrow(expect.objectContaining({ code: "audit-unavailable", message: expect.stringContaining("no regular file") }));
  });

  test("a log that was touched is not archived", () => {
    const here = scene();
    tamper(here.log, "UPDATE audit SET record = record || ' ' WHERE seq = 14");
    expect(() => archived(here)).toThrow(expect.objectContaining({ code: "audit-unavailable" }));
    expect(readdirSync(here.directory)).toEqual([]);
    expect(seqsOf(here.log)).toEqual([14]);
  });

  test("a directory that cannot be written leaves the log as it is", () => {
    const here = scene();
    expect(() => archiveAudit(here.log, here.nowMs(), "/proc/nothing/here")).toThrow("/proc/nothing");
    expect(verifyAudit(here.log)).toMatchObject({ isIntact: true, records: 16 });
  });
});

describe("tampering with what was archived is found", () => {
  const lineOf = (file: string, index: number): string => readFileSync(file, "utf8").split("\n")[index] ?? "";
  const change = (file: string, edit: (lines: string[]) => void): void => {
    const lines = readFileSync(file, "utf8").split("\n");
    edit(lines);
    writeFileSync(file, lines.join("\n"));
  };
  const touches: Record<string, (file: string) => void> = {
    "a record's text": (file) => change(file, (lines) => (lines[4] = (lines[4] ?? "").replace("record 5", "record 6"))),
    "a record's hash": (file) => change(file, (lines) => (lines[4] = (lines[4] ?? "").replace(/"hash":"./u, '"hash":"g'))),
    "a record's number": (file) => change(file, (lines) => (lines[4] = (lines[4] ?? "").replace('"seq":5}', '"seq":6}'))),
    "a line removed": (file) => change(file, (lines) => void lines.splice(4, 1)),
    "the first line removed": (file) => change(file, (lines) => void lines.splice(0, 1)),
    "the last record removed": (file) => change(file, (lines) => void lines.splice(11, 1)),
    "two lines swapped": (file) => change(file, (lines) => void lines.splice(3, 2, lines[4] ?? "", lines[3] ?? "")),
    "a line twice": (file) => change(file, (lines) => void lines.splice(4, 0, lines[4] ?? "")),
    "a line that is no JSON": (file) => change(file, (lines) => (lines[4] = "{")),
    "a line of another form": (file) => change(file, (lines) => (lines[4] = "[]")),
    "the seal removed": (file) => change(file, (lines) => void lines.splice(12, 1)),
    "the seal's range": (file) => change(file, (lines) => (lines[12] = (lines[12] ?? "").replace('"last":12', '"last":11'))),
    "the seal's proof": (file) => change(file, (lines) => (lines[12] = (lines[12] ?? "").replace(/"mac":"./u, '"mac":"g'))),
    "a line behind the seal": (file) => appendFileSync(file, `${lineOf(file, 4)}\n`),
    "a space that changes no meaning": (file) => change(file, (lines) => (lines[4] = (lines[4] ?? "").replace('{"hash"', '{ "hash"'))),
    "its end cut off": (file) => writeFileSync(file, readFileSync(file).subarray(0, 900)),
    // More than a program could hold of it; what is read is a line at a time, and no line is that long.
    "terabytes behind its end": (file) => truncateSync(file, 2 ** 42),
    emptied: (file) => writeFileSync(file, ""),
  };
  test.each(Object.keys(touches))("the file: %s", (name) => {
    const here = scene();
    const { file } = archived(here);
    touches[name]?.(file);
    const report = verifyAudit(here.log);
    expect(report.problems).toEqual([{ seq: 12, what: expect.stringContaining("was touched") }]);
    expect(report.archives).toMatchObject([{ state: "touched" }]);
  });

  test("and says which record was touched", () => {
    const here = scene();
    touches["a record's text"]?.(archived(here).file);
    expect(verifyAudit(here.log).problems).toEqual([{ seq: 12, what: expect.stringContaining("record 5: the record does not match its hash") }]);
  });

  test("and nothing is held of a line that is longer than any that is written", () => {
    const here = scene();
    const { file } = archived(here);
    truncateSync(file, 2 ** 27);
    expect(verifyAudit(here.log).problems).toEqual([{ seq: 12, what: expect.stringContaining("longer than any that is written") }]);
  });

  test("an archive in the place of another", () => {
    const here = scene();
    const first = archived(here);
    here.advance(HOUR_MS);
    const second = archived(here);
    copyFileSync(first.file, second.file);
    expect(seqsOf(here.log)).toContain(second.last);
  });

  test("the archive of another log", () => {
    const here = scene();
    const other = scene();
    copyFileSync(archived(other).file, archived(here).file);
    expect(seqsOf(here.log)).toEqual([12]);
  });

  const marks: Record<string, (log: AuditLog) => void> = {
    removed: (log) => tamper(log, "DELETE FROM audit_base"),
    "moved on over records": (log) => tamper(log, "UPDATE audit_base SET seq = 14"),
    "moved back": (log) => tamper(log, "UPDATE audit_base SET seq = 11"),
    "with another hash": (log) => tamper(log, "UPDATE audit_base SET hash = ?", "a".repeat(64)),
    "with another proof": (log) => tamper(log, "UPDATE audit_base SET mac = ?", "a".repeat(64)),
    "moved on, and the records removed": (log) => {
      tamper(log, "UPDATE audit_base SET seq = 14, hash = (SELECT hash FROM audit WHERE seq = 14)");
      tamper(log, "DELETE FROM audit WHERE seq <= 14");
    },
  };
  test.each(Object.keys(marks))("the mark of where the log begins: %s", (name) => {
    const here = scene();
    archived(here);
    marks[name]?.(here.log);
    expect(verifyAudit(here.log).isIntact).toBe(false);
  });

  test("the mark of an earlier day", () => {
    const here = scene();
    archived(here);
    const earlier = here.log.store.audit.base();
    here.advance(HOUR_MS);
    archived(here);
    tamper(here.log, "UPDATE audit_base SET seq = ?, hash = ?, mac = ?", earlier?.seq ?? 0, earlier?.hash ?? "", earlier?.mac ?? "");
    expect(verifyAudit(here.log).problems[0]).toEqual({ seq: 13, what: "records 13 to 17 are missing" });
  });

  test("the beginning cut off without a mark, and the head of then", () => {
    const here = scene();
    copyFileSync(headOf(here.log), `${headOf(here.log)}.old`);
    archived(here);
    copyFileSync(`${headOf(here.log)}.old`, headOf(here.log));
    // One record ahead of its head is what a killed process leaves; two are not.
    addRecord(here.log, 18);
    copyFileSync(`${headOf(here.log)}.old`, headOf(here.log));
    expect(seqsOf(here.log)).toEqual([16]);
  });
});
