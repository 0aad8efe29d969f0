import { readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { appendAudit } from "../../../src/audit/log/log.ts";
import { ownerOfThisProcess } from "../../../src/store/lock/process-owner.ts";
import { queueIn } from "../../../src/store/lock/queue.ts";
import { onWait, type Wait } from "../../../src/store/lock/waiting.ts";
import { startProgram } from "../../support/program.ts";
import { movableClock, temporaryDirectory, temporaryStore } from "../../support/temporary-store.ts";
import { once, until } from "../../support/until.ts";

type Store = ReturnType<typeof temporaryStore>;

/** Another connection, which holds the write lock until `release`. */
function locked(store: Store): { readonly release: () => void } {
  const database = new Database(store.paths.database);
  onTestFinished(() => void database.close());
  database.exec("BEGIN IMMEDIATE");
  return { release: () => void (database.inTransaction && database.exec("COMMIT")) };
}

/** What this process is told while it waits; the first time `then` happens. */
function told(then: () => void): readonly Wait[] {
  const waits: Wait[] = [];
  onTestFinished(
    onWait((wait) => {
      if (waits.push(wait) === 1) then();
    }),
  );
  return waits;
}

const setSession = (store: Store): void => store.runs.setSession("run-1", "session-1");

describe("writing to the store", () => {
  test("goes in the order in which processes asked", async () => {
    const store = temporaryStore();
    const lock = locked(store);
    const writers = Array.from({ length: 6 }, (_, index) => startProgram("append-records", store.paths.directory, "1", `writer-${String(index)}`));
    const ended = writers.map((writer) => once(writer.stdout.resume(), "close"));
    await until("all wait", () => readdirSync(store.paths.queue).length === writers.length);
    // The names of the places sort by when they were taken, and end with who took them.
    const order = readdirSync(store.paths.queue)
      .toSorted()
      .map((name) => writers.findIndex(({ pid }) => name.endsWith(`-${String(pid)}`)));
    lock.release();
    await Promise.all(ended);
    const runs = store.audit.page(0, writers.length, 10).map(({ record }) => (JSON.parse(record) as { run: string }).run);
    expect(runs).toEqual(order.map((index) => `writer-${String(index)}`));
    expect(readdirSync(store.paths.queue)).toEqual([]);
  });

  test("passes nobody who waits, also while the database is free; a single statement neither", () => {
    const store = temporaryStore();
    for (const write of [() => store.exclusively(() => setSession(store)), () => setSession(store)]) {
      const place = queueIn(store.paths.queue).join();
      const waits = told(() => place?.leave());
      write();
      expect(waits).toMatchObject([{ what: `to write to ${store.paths.database}`, before: 1, firstPid: String(process.pid) }]);
    }
  });

  test("waits for one that writes without having waited, and tells of it", () => {
    const store = temporaryStore();
    const lock = locked(store);
    const waits = told(() => lock.release());
    setSession(store);
    expect(waits).toMatchObject([{ before: 0, firstPid: null }]);
  });

  test("queues once for what is done in one turn", () => {
    const store = temporaryStore();
    const first = queueIn(store.paths.queue).join();
    const waits = told(() => first?.leave());
    store.inOneTurn(() => {
      setSession(store);
      const behind = queueIn(store.paths.queue).join();
      setSession(store);
      behind?.leave();
    });
    expect(waits).toHaveLength(1);
    expect(readdirSync(store.paths.queue)).toEqual([]);
  });

  test("does not wait for a process that ended in the queue, and not for ever for one that does not go on", () => {
    const store = temporaryStore();
    const dead = [...ownerOfThisProcess().split("/").slice(0, -1), "1"].join("/");
    symlinkSync(dead, join(store.paths.queue, `${"0".repeat(19)}-1`));
    setSession(store);
    expect(readdirSync(store.paths.queue)).toEqual([]);
    const stopped = queueIn(store.paths.queue).join();
    setSession(store);
    expect(readdirSync(store.paths.queue)).toHaveLength(1);
    stopped?.leave();
  });

  test("does not wait behind what is no place", () => {
    const store = temporaryStore();
    for (const name of [".DS_Store", "0000000000000000001-1.swp", "notes"]) writeFileSync(join(store.paths.queue, name), "");
    expect(queueIn(store.paths.queue).isEmpty()).toBe(true);
    const waits = told(() => undefined);
    setSession(store);
    expect(waits).toEqual([]);
  });

  test("goes on where no queue can be kept", () => {
    const store = temporaryStore();
    rmSync(store.paths.queue, { recursive: true });
    const lock = locked(store);
    const waits = told(() => lock.release());
    setSession(store);
    expect(waits).toHaveLength(1);
  });
});

describe("a fault in what is done exclusively", () => {
  test("stays what it is, unless disk or database made it", () => {
    const store = temporaryStore();
    const fault = new TypeError("the caller's own");
    const failing = (error: unknown) => () =>
      store.exclusively(() => {
        throw error;
      });
    expect(failing(fault)).toThrow(fault);
    expect(failing(Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC", syscall: "write" }))).toThrow(
      expect.objectContaining({ code: "store-unavailable", message: expect.stringContaining("Free some space") }),
    );
    expect(() => store.exclusively(() => Promise.resolve())).toThrow(expect.objectContaining({ code: "broken-invariant" }));
  });

  test("leaves a record and its head together", () => {
    const store = temporaryStore();
    const log = { store, clock: movableClock() };
    const append = (): void => void appendAudit(log, { run: null, payload: { kind: "run-end", ending: "done" } });
    append();
    // The head would stand before a record that never came.
    expect(() => store.exclusively(append)).toThrow(expect.objectContaining({ code: "broken-invariant" }));
    append();
    expect(store.audit.last()?.seq).toBe(2);
  });

  test("of a store that was closed is one of the store", () => {
    const store = temporaryStore(join(temporaryDirectory(), "state"));
    store.close();
    expect(() => setSession(store)).toThrow(expect.objectContaining({ code: "store-unavailable" }));
  });
});
