import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { appendAudit } from "../../src/audit/log/log.ts";
import { isStopped, setStopSwitch } from "../../src/gate/stop-switch.ts";
import { isOwnerDead, ownerOfThisProcess } from "../../src/store/lock/process-owner.ts";
import { openStore } from "../../src/store/store.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { movableClock, temporaryDirectory, temporaryStore } from "../support/temporary-store.ts";
import { once } from "../support/until.ts";

const modeOf = (path: string): number => statSync(path).mode & 0o777;

const RUN = {
  id: "run-1",
  workspace: "/w",
  policyName: "p",
  policyDigest: "d",
  task: "t",
  model: null,
  startedAtMs: 1,
  policyFile: "/p.yaml",
  isUnattended: true,
};

describe("the state directory", () => {
  test("opens while another process, which came at the same moment, makes the database", async () => {
    const directory = join(temporaryDirectory(), "state");
    mkdirSync(directory, { mode: 0o700 });
    const other = startProgram("hold-new-database", join(directory, "warder.db"));
    await once(other.stdout, "data");
    const ended = once(other, "exit");
    openStore(directory).close();
    expect(await ended).toEqual([0, null]);
  });

  test("is private, every directory and file of it, whatever the umask and whatever it was before", () => {
    const directory = join(temporaryDirectory(), "state");
    mkdirSync(directory, { mode: 0o755 });
    chmodSync(directory, 0o755);
    const store = temporaryStore(directory);
    appendAudit({ store, clock: movableClock() }, { run: null, payload: { kind: "stop", state: "stopped", by: "test" } });
    for (const path of [directory, store.paths.keys, store.paths.runs, store.paths.artifacts]) expect(modeOf(path), path).toBe(0o700);
    const files = [...readdirSync(directory, { recursive: true, withFileTypes: true })].filter((entry) => entry.isFile());
    expect(files.map((file) => file.name).toSorted()).toEqual(["audit.head", "audit.key", "warder.db", "warder.db-shm", "warder.db-wal"]);
    for (const file of files) expect(modeOf(join(file.parentPath, file.name)), file.name).toBe(0o600);
  });

  test("is not a link, and not a file", () => {
    const root = temporaryDirectory();
    mkdirSync(join(root, "elsewhere"));
    mkdirSync(join(root, "state"));
    symlinkSync(join(root, "elsewhere"), join(root, "state", "keys"));
    expect(() => openStore(join(root, "state"))).toThrow(expect.objectContaining({ code: "store-unavailable" }));
    writeFileSync(join(root, "file"), "");
    expect(() => openStore(join(root, "file"))).toThrow(expect.objectContaining({ code: "store-unavailable" }));
  });

  test("a damaged database, and one of a newer Warder, say what to do", () => {
    const damaged = join(temporaryDirectory(), "state");
    mkdirSync(damaged);
    writeFileSync(join(damaged, "warder.db"), "no database".repeat(1_000));
    expect(() => openStore(damaged)).toThrow(
      expect.objectContaining({ code: "store-unavailable", message: expect.stringContaining("Put the whole state directory back from a copy") }),
    );
    const newer = temporaryStore();
    const database = new Database(newer.paths.database);
    database.pragma("user_version = 99");
    database.close();
    expect(() => openStore(newer.paths.directory)).toThrow(expect.objectContaining({ message: expect.stringContaining("Update Warder") }));
  });

  test("is made once when several processes start at once", async () => {
    const state = join(temporaryDirectory(), "state");
    await Promise.all(Array.from({ length: 4 }, (_, index) => runProgram("append-records", state, "2", `p${index}`)));
    expect(temporaryStore(state).audit.last()?.seq).toBe(8);
  });
});

describe("the store", () => {
  test("writes all of a piece of work or nothing", () => {
    const store = temporaryStore();
    const work = (): void => {
      store.exclusively(() => {
        store.stop.write({ state: "stopped", parts: "[]", changedBy: "test", changedAtMs: 1 });
        throw new Error("half way");
      });
    };
    expect(work).toThrow("half way");
    expect(store.stop.read()?.state).toBe("running");
  });

  test("keeps runs, and how they ended", () => {
    const store = temporaryStore();
    const run = { ...RUN, owner: ownerOfThisProcess() };
    store.runs.start(run);
    store.runs.setSession("run-1", "session-1");
    expect(store.runs.byId("run-1")).toEqual({
      ...run,
      job: null,
      parent: null,
      parentCall: null,
      rewind: null,
      forkedFrom: null,
      plan: null,
      session: "session-1",
      endedAtMs: null,
      ending: null,
      parkedAtMs: null,
      parkedOn: null,
    });
    expect(store.runs.end("run-1", "done", 2)).toBe(true);
    expect(store.runs.end("run-1", "failed", 3)).toBe(false);
    expect(store.runs.list(5)).toMatchObject([{ id: "run-1", ending: "done", endedAtMs: 2 }]);
  });
});

describe("a run's owner", () => {
  const OWNER = "boot/pid/1/1";
  const started = (): ReturnType<typeof temporaryStore> => {
    const store = temporaryStore();
    store.runs.start({ ...RUN, owner: OWNER });
    return store;
  };
  const change = { from: OWNER, to: "boot/pid/2/2", policyDigest: "d2" };

  test("changes when it was parked, has ended or is dead, once; and not while it lives", () => {
    const living = started();
    expect(living.runs.takeOver("run-1", { ...change, isDead: false })).toBe(false);
    expect(living.runs.takeOver("run-1", { ...change, isDead: true })).toBe(true);
    expect(living.runs.takeOver("run-1", { ...change, isDead: true })).toBe(false);
    const parked = started();
    expect(parked.runs.park("run-1", { owner: "another", approval: "approval-1", nowMs: 2 })).toBe(false);
    expect(parked.runs.park("run-1", { owner: OWNER, approval: "approval-1", nowMs: 2 })).toBe(true);
    expect(parked.runs.byId("run-1")).toMatchObject({ parkedAtMs: 2, parkedOn: "approval-1" });
    expect(parked.runs.takeOver("run-1", { ...change, to: OWNER, isDead: false })).toBe(true);
    expect(parked.runs.byId("run-1")).toMatchObject({ parkedAtMs: null, parkedOn: null, policyDigest: "d2" });
    expect(parked.runs.takeOver("run-1", { ...change, to: OWNER, isDead: false })).toBe(false);
    const ended = started();
    ended.runs.end("run-1", "cancelled", 3);
    expect(ended.runs.takeOver("run-1", { ...change, isDead: false })).toBe(true);
    expect(ended.runs.byId("run-1")).toMatchObject({ endedAtMs: null, ending: null });
  });
});

describe("the stop switch", () => {
  test("holds for every process until it is released", () => {
    const state = join(temporaryDirectory(), "state");
    const [one, other] = [temporaryStore(state), temporaryStore(state)];
    expect(isStopped(other)).toBe(false);
    setStopSwitch({ store: one, clock: movableClock() }, "stopped", "test");
    expect(isStopped(other)).toBe(true);
    setStopSwitch({ store: one, clock: movableClock() }, "running", "test");
    expect(isStopped(other)).toBe(false);
  });

  test("counts as engaged when its row is gone, or the database is", () => {
    const store = temporaryStore();
    const database = new Database(store.paths.database);
    database.exec("DELETE FROM stop_switch");
    database.close();
    expect(isStopped(store)).toBe(true);
    const closed = openStore(join(temporaryDirectory(), "state"));
    closed.close();
    expect(isStopped(closed)).toBe(true);
  });

  test("is not released when that cannot be recorded", () => {
    const store = temporaryStore();
    const log = { store, clock: movableClock() };
    setStopSwitch(log, "stopped", "test");
    rmSync(join(store.paths.keys, "audit.head"));
    expect(() => {
      setStopSwitch(log, "running", "test");
    }).toThrow(expect.objectContaining({ code: "audit-unavailable" }));
    expect(isStopped(store)).toBe(true);
  });
});

describe("the owner of something", () => {
  test("is alive while its process is, and another process with its pid is not it", () => {
    const owner = ownerOfThisProcess();
    expect(isOwnerDead(owner)).toBe(false);
    const parts = owner.split("/");
    expect(isOwnerDead([...parts.slice(0, -1), "1"].join("/"))).toBe(true);
    expect(isOwnerDead(["another-boot", ...parts.slice(1)].join("/"))).toBe(true);
    expect(isOwnerDead(owner.replace(/pid:\[\d+\]/u, "pid:[1]"))).toBe(false);
  });
});
