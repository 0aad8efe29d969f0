import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { checkpointAtStart, judgeKept, upkeepAtEnd } from "../../../src/app/records/log-upkeep.ts";
import { checkpointsPath } from "../../../src/audit/checkpoints/anchor.ts";
import { auditHeadPath } from "../../../src/audit/chain/head.ts";
import type { AuditLog } from "../../../src/audit/log/log.ts";
import { tailAudit } from "../../../src/audit/log/read.ts";
import { verifyAudit } from "../../../src/audit/verify/verify.ts";
import { NO_MODELS } from "../../../src/config/settings-file.ts";
import type { Settings } from "../../../src/config/settings.ts";
import { openStore } from "../../../src/store/store.ts";
import { addRecord, filledLog } from "../../audit/filled-log.ts";
import { movableClock, temporaryDirectory, temporaryStore } from "../../support/temporary-store.ts";

const settings = (change: Partial<Settings> = {}): Settings => ({
  webhooks: [],
  answers: null,
  hooks: [],
  anchor: null,
  archiveAfterMs: null,
  models: NO_MODELS,
  requests: null,
  mcp: [],
  skills: [],
  openapi: [],
  search: null,
  projects: { from: null, confirmed: [] },
  ...change,
});
const DAY_MS = 86_400_000;
const last = (log: AuditLog) => tailAudit(log, { limit: 1 })[0];

/** Cuts off everything after a record, and puts the head back to it: what the chain alone cannot know. */
function putBack(log: AuditLog, work: () => void): AuditLog {
  const { database, keys, directory } = log.store.paths;
  const open = new Database(database);
  open.prepare("VACUUM INTO ?").run(`${database}.old`);
  open.close();
  copyFileSync(auditHeadPath(keys), join(directory, "head.old"));
  work();
  log.store.close();
  for (const end of ["", "-wal", "-shm"]) rmSync(`${database}${end}`, { force: true });
  copyFileSync(`${database}.old`, database);
  copyFileSync(join(directory, "head.old"), auditHeadPath(keys));
  const store = openStore(directory);
  onTestFinished(() => {
    store.close();
  });
  return { ...log, store };
}

describe("a checkpoint by itself", () => {
  test("is signed as a run begins and ends, kept beside the database and at the anchor, and recorded", () => {
    const log = filledLog();
    const anchor = join(temporaryDirectory(), "kept.jsonl");
    const own = settings({ anchor: `file:${anchor}` });
    checkpointAtStart(log, "run-1", own);
    expect(last(log)).toMatchObject({ kind: "checkpoint", run: "run-1", payload: { upTo: 12, anchor: `file:${anchor}`, state: "kept", detail: null } });
    addRecord(log, 13);
    upkeepAtEnd(log, "run-1", own);
    expect(last(log)).toMatchObject({ kind: "checkpoint", payload: { upTo: 14 } });
    expect(readFileSync(anchor, "utf8")).toBe(readFileSync(checkpointsPath(log.store.paths.directory), "utf8"));
    expect(readFileSync(anchor, "utf8").trim().split("\n")).toHaveLength(2);
    expect(judgeKept(log, own)).toEqual([]);
    expect(verifyAudit(log)).toMatchObject({ isIntact: true });
  });

  test("finds a log that was put back with its head, by what lies beside it and by what is kept elsewhere", () => {
    const anchor = join(temporaryDirectory(), "kept.jsonl");
    const own = settings({ anchor: `file:${anchor}` });
    const log = filledLog();
    const cut = putBack(log, () => {
      addRecord(log, 13);
      checkpointAtStart(log, "run-1", own);
    });
    expect(verifyAudit(cut)).toMatchObject({ isIntact: true });
    expect(judgeKept(cut, own).map(({ what }) => what)).toEqual([
      expect.stringContaining("the log was put back to an earlier state"),
      expect.stringContaining("the log was put back to an earlier state"),
    ]);
    // Who puts back what lies beside it, too, does not reach the anchor.
    rmSync(checkpointsPath(cut.store.paths.directory));
    expect(judgeKept(cut, own)).toMatchObject([{ seq: 13 }]);
    expect(judgeKept(cut, settings())).toEqual([]);
  });

  test.each<[string, (path: string) => void]>([
    ["was emptied", (path) => writeFileSync(path, "")],
    ["is gone", (path) => rmSync(path)],
    ["was shortened by a line", (path) => truncateSync(path, readFileSync(path, "utf8").indexOf("\n") + 1)],
  ])("an anchor that %s is found", (_what, change) => {
    const log = filledLog();
    const anchor = join(temporaryDirectory(), "kept.jsonl");
    const own = settings({ anchor: `file:${anchor}` });
    checkpointAtStart(log, "run-1", own);
    upkeepAtEnd(log, "run-1", own);
    change(anchor);
    expect(judgeKept(log, own).at(-1)?.what).toBe(`its checkpoint was kept at file:${anchor}, and is not there any more`);
  });

  test("that the anchor does not take stops a run before it begins, and not one that has ended", () => {
    const log = filledLog();
    const own = settings({ anchor: "command:/bin/false secret-argument" });
    expect(() => checkpointAtStart(log, "run-1", own)).toThrow(expect.objectContaining({ code: "audit-unavailable" }));
    upkeepAtEnd(log, "run-1", own);
    expect(tailAudit(log, { kind: "checkpoint", limit: 9 }).map(({ payload }) => payload)).toMatchObject([
      { anchor: "command:/bin/false", state: "failed", detail: expect.stringContaining("did not take") as string },
      { anchor: "command:/bin/false", state: "failed" },
    ]);
    expect(judgeKept(log, settings())).toEqual([]);
  });

  test("goes to a command on its standard input", () => {
    const log = filledLog();
    const kept = join(temporaryDirectory(), "kept.jsonl");
    checkpointAtStart(log, "run-1", settings({ anchor: `command:/usr/bin/tee ${kept}` }));
    expect(JSON.parse(readFileSync(kept, "utf8"))).toMatchObject({ seq: 12 });
  });

  test("goes to a system's log, and not where nobody listens", async () => {
    const log = filledLog();
    const socket = join(temporaryDirectory(), "log");
    expect(() => checkpointAtStart(log, "run-1", settings({ anchor: `syslog:${socket}` }))).toThrow("cannot be kept");
    // The line is taken by a process of its own: this one waits for logger(1).
    const { promise, resolve } = Promise.withResolvers<string>();
    const server = createServer((connection) => connection.once("data", (data) => resolve(data.toString())));
    await new Promise<void>((done) => server.listen(socket, done));
    onTestFinished(() => void server.close());
    checkpointAtStart(log, "run-1", settings({ anchor: `syslog:${socket}` }));
    expect(await promise).toMatch(/warder.*"seq":13/u);
  });
});

describe("records that are old", () => {
  test("go into an archive as a run ends, once they are a day older than they may be, and the log still verifies", () => {
    const clock = movableClock();
    const log: AuditLog = { store: temporaryStore(), clock };
    for (let seq = 1; seq <= 5; seq += 1) addRecord(log, seq);
    const own = settings({ archiveAfterMs: 30 * DAY_MS });
    clock.advance(30 * DAY_MS + 1);
    upkeepAtEnd(log, "run-1", own);
    expect(log.store.audit.base()).toBeNull();
    clock.advance(DAY_MS);
    upkeepAtEnd(log, "run-2", own);
    expect(log.store.audit.base()?.seq).toBe(5);
    expect(verifyAudit(log)).toMatchObject({ isIntact: true, archives: [{ first: 1, last: 5, state: "whole" }] });
    // Of the checkpoints beside the database those stay that say something of what is still here.
    const kept = (): readonly number[] =>
      readFileSync(checkpointsPath(log.store.paths.directory), "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { seq: number }).seq);
    expect(kept()).toEqual([5, 6]);
    clock.advance(31 * DAY_MS);
    upkeepAtEnd(log, "run-3", own);
    expect(kept()).toEqual([8]);
    expect(judgeKept(log, own)).toEqual([]);
  });

  test("of a log that was touched stay where they are, and the failure is recorded", () => {
    const clock = movableClock();
    const log: AuditLog = { store: temporaryStore(), clock };
    for (let seq = 1; seq <= 5; seq += 1) addRecord(log, seq);
    const database = new Database(log.store.paths.database);
    database.prepare("UPDATE audit SET record = replace(record, '3', '4') WHERE seq = 3").run();
    database.close();
    clock.advance(90 * DAY_MS);
    upkeepAtEnd(log, "run-1", settings({ archiveAfterMs: 30 * DAY_MS }));
    expect(last(log)).toMatchObject({ kind: "archive-failed", payload: { detail: expect.stringContaining("not whole") as string } });
    expect(log.store.audit.base()).toBeNull();
  });
});
