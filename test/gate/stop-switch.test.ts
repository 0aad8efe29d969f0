import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { tailAudit } from "../../src/audit/log/read.ts";
import { isStopped, readStop, setStopSwitch, type StopScope } from "../../src/gate/stop-switch.ts";
import { stopFile } from "../../src/store/files/stop-file.ts";
import { startProgram } from "../support/program.ts";
import { movableClock, temporaryDirectory, temporaryStore } from "../support/temporary-store.ts";
import { policyText, scene } from "./gate-scene.ts";
import { once } from "../support/until.ts";

function here() {
  const store = temporaryStore(join(temporaryDirectory(), "state"));
  const log = { store, clock: movableClock() };
  return {
    store,
    log,
    stop: (...scopes: StopScope[]) => setStopSwitch(log, "stopped", "ann", scopes),
    start: (...scopes: StopScope[]) => setStopSwitch(log, "running", "ann", scopes),
  };
}

describe("a part that is stopped", () => {
  test("is stopped by itself, and the rest goes on", () => {
    const { store, stop, start } = here();
    stop("network", "tool:shell", "run:run-1");
    expect([isStopped(store), isStopped(store, { isNetwork: true }), isStopped(store, { tool: "shell" }), isStopped(store, { tool: "read_file" })]).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect([isStopped(store, { run: "run-1" }), isStopped(store, { run: "run-2" })]).toEqual([true, false]);
    start("tool:shell");
    expect(readStop(store)).toMatchObject({ scopes: ["network", "run:run-1"], by: "ann", fault: null });
  });

  test("stays stopped when everything was stopped and started meanwhile", () => {
    const { store, stop, start } = here();
    stop("network");
    stop("all");
    expect(isStopped(store, { run: "run-2" })).toBe(true);
    start("all");
    expect([isStopped(store), isStopped(store, { isNetwork: true })]).toEqual([false, true]);
  });

  test("is recorded with who stopped and started it", () => {
    const { log, stop, start } = here();
    stop("network", "tool:shell");
    start("network");
    expect(tailAudit(log, { limit: 9 }).map(({ payload }) => [payload["state"], payload["scopes"], payload["by"]])).toEqual([
      ["stopped", ["network", "tool:shell"], "ann"],
      ["running", ["network"], "ann"],
    ]);
  });
});

describe("a state that nobody can read", () => {
  test.each([
    ["a row that is gone", "DELETE FROM stop_switch"],
    ["parts that are no JSON", "UPDATE stop_switch SET parts = '[\"network\"'"],
    ["parts that nobody wrote", "UPDATE stop_switch SET parts = '[\"everything\"]'"],
    ["parts that are no list", "UPDATE stop_switch SET parts = '{}'"],
    ["a part without a name", "UPDATE stop_switch SET parts = '[\"tool:\"]'"],
    ["a table that is gone", "DROP TABLE stop_switch"],
  ])("%s stops everything", (_, change) => {
    const { store } = here();
    const database = new Database(store.paths.database);
    database.exec(change);
    database.close();
    expect(isStopped(store)).toBe(true);
    expect(readStop(store)).toMatchObject({ scopes: ["all"], fault: expect.any(String) });
  });

  test("is released as a whole, and counts as stopped until that is done", () => {
    const { store, start } = here();
    const database = new Database(store.paths.database);
    database.exec("UPDATE stop_switch SET parts = 'x'");
    database.close();
    start("all");
    expect(readStop(store)).toMatchObject({ scopes: [], fault: null });
  });
});

describe("the file that stops everything", () => {
  test("stands while everything is stopped, and stops by itself: whoever makes it", () => {
    const { store, stop, start } = here();
    stop("all");
    expect(existsSync(stopFile(store.paths.directory))).toBe(true);
    start("all");
    expect(existsSync(stopFile(store.paths.directory))).toBe(false);
    writeFileSync(stopFile(store.paths.directory), "");
    expect([isStopped(store), isStopped(store, { run: "run-1" })]).toEqual([true, true]);
    start("all");
    expect(isStopped(store)).toBe(false);
  });

  test("is left by a part that starts", () => {
    const { store, stop, start } = here();
    stop("all");
    stop("network");
    start("network");
    expect(isStopped(store)).toBe(true);
  });
});

test("whoever stops may be killed at any moment: what is stopped stays so, and starting is done or not", async () => {
  const state = join(temporaryDirectory(), "state");
  const store = temporaryStore(state);
  for (let round = 0; round < 6; round += 1) {
    const stopper = startProgram("stop-and-start", state);
    const seen: string[] = [];
    stopper.stdout.setEncoding("utf8").on("data", (text: string) => seen.push(...text.trim().split("\n")));
    await once(stopper.stdout, "data");
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 30));
    const closed = once(stopper, "close");
    stopper.kill("SIGKILL");
    await closed;
    // It said "stopped" after it had stopped, and "starting" before it started: in between nothing may run.
    expect(seen.at(-1) !== "stopped" || isStopped(store)).toBe(true);
    expect(readStop(store).fault).toBeNull();
  }
  setStopSwitch({ store, clock: movableClock() }, "stopped", "test");
  setStopSwitch({ store, clock: movableClock() }, "running", "test");
  expect(isStopped(store)).toBe(false);
});

describe("at the door", () => {
  test("a stopped tool is refused, and one that runs is ended; others go on", async () => {
    const { call, session, parts } = scene({ policy: policyText({ autonomy: "full" }) });
    session.beforeAction = () => setStopSwitch(parts.audit, "stopped", "test", ["tool:shell"]);
    expect((await call("shell", { command: "sleep 1000" })).kind).toBe("cancelled");
    session.beforeAction = () => null;
    const end = await call("shell", { command: "echo hi" });
    expect(end).toMatchObject({ kind: "denied", ruling: { decision: { rules: [{ id: "stop-switch" }] } } });
    expect((await call("list_files", { path: "." })).kind).toBe("executed");
  });

  test("a stopped run is refused, another run is not", async () => {
    const { call, parts } = scene({ policy: policyText({ autonomy: "full" }) });
    setStopSwitch(parts.audit, "stopped", "test", ["run:run-other"]);
    expect((await call("shell", { command: "echo hi" })).kind).toBe("executed");
    setStopSwitch(parts.audit, "stopped", "test", [`run:${parts.runId}`]);
    expect((await call("shell", { command: "echo hi" })).kind).toBe("denied");
  });

  test("an approval that comes after the stop runs nothing", async () => {
    const scened = scene({
      answer: () => {
        setStopSwitch(scened.parts.audit, "stopped", "test");
        return { kind: "granted", scope: "once", by: "ann" };
      },
    });
    const end = await scened.call("shell", { command: "touch made" });
    expect(end.kind).toBe("denied");
    expect(scened.session.performed).toEqual([]);
  });
});
