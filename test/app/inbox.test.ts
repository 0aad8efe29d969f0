import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { appendAudit } from "../../src/audit/log/log.ts";
import { readInbox } from "../../src/app/inbox.ts";
import { workspacePaths } from "../../src/sandbox/workspace/record.ts";
import type { TickRow } from "../../src/store/rows/schedule.ts";
import { ownerOfThisProcess } from "../../src/store/lock/process-owner.ts";
import { hourlyJob } from "../schedule/schedule-scene.ts";
import { temporaryStore } from "../support/temporary-store.ts";

/** A process of an earlier boot. */
const DEAD = "earlier-boot/pid:[1]/1/1";
const NOW = Date.now();
const clock = { nowMs: () => NOW, monotonicMs: () => 0 };

function scene() {
  const store = temporaryStore();
  const records = { store, audit: { store, clock }, approvals: { store, clock } };
  const run = (
    id: string,
    change: {
      readonly job?: string | null;
      readonly isUnattended?: boolean;
      readonly task?: string | null;
      readonly owner?: string;
      readonly minutesAgo?: number;
    } = {},
  ): void => {
    const { job = null, isUnattended = false, task = "tidy", owner = ownerOfThisProcess(), minutesAgo = 60 } = change;
    const rest = { workspace: "/srv/shop", policyName: "unattended", policyDigest: "d", policyFile: null, model: "m" };
    store.runs.start({ ...rest, id, task, job, isUnattended, owner, startedAtMs: NOW - minutesAgo * 60_000 });
  };
  const leaveChanges = (
    id: string,
    text = JSON.stringify({ version: 1, runId: id, workspace: "/srv/shop", user: { uid: 1, gid: 1 }, owner: DEAD, image: null, state: "closed" }),
  ) => {
    const file = workspacePaths(join(store.paths.runs, id)).record;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const tick = (change: Partial<TickRow>): void =>
    void store.schedule.addTick({
      job: "nightly",
      atMs: NOW - 600_000,
      attempt: 1,
      state: "ended",
      run: null,
      owner: null,
      startedAtMs: null,
      endedAtMs: NOW - 500_000,
      outcome: "done",
      detail: null,
      nextAtMs: null,
      ...change,
    });
  const lines = () => readInbox(records).map(({ kind, what, next }) => `${kind}: ${what} > ${next}`);
  return { store, records, run, leaveChanges, tick, lines };
}

describe("what waits for a person", () => {
  test("is nothing on a new machine, and nothing of runs that go on or ended well", () => {
    const { run, store, lines } = scene();
    expect(lines()).toEqual([]);
    run("run-going");
    run("run-done", { isUnattended: true });
    store.runs.end("run-done", "done", NOW);
    run("run-interrupted");
    store.runs.end("run-interrupted", "cancelled", NOW);
    expect(lines()).toEqual([]);
  });

  test("names a run that was one command by this command, as the log has it", () => {
    const { run, store, records, leaveChanges, lines } = scene();
    for (const id of ["run-exec", "run-nothing", "run-client"]) {
      run(id, { task: null });
      store.runs.end(id, "executed", NOW);
      leaveChanges(id);
    }
    appendAudit(records.audit, { run: "run-exec", payload: { kind: "call", call: "call-1", tool: "shell", input: { command: "npm test" } } });
    for (const call of ["call-1", "call-2"])
      appendAudit(records.audit, { run: "run-client", payload: { kind: "call", call, tool: "shell", input: { command: "npm test" } } });
    expect(lines().toSorted()).toEqual([
      "changes: npm test > warder changes diff run-exec",
      "changes: one command > warder changes diff run-nothing",
      "changes: several calls > warder changes diff run-client",
    ]);
  });

  test("is the changes of runs that are over, readable or not, and not those of runs that go on", () => {
    const { run, store, leaveChanges, lines } = scene();
    for (const id of ["run-a", "run-b", "run-going", "run-garbled"]) {
      run(id);
      leaveChanges(id);
    }
    leaveChanges("run-garbled", "garbled");
    leaveChanges("run-unknown");
    for (const [index, id] of ["run-b", "run-a", "run-garbled"].entries()) store.runs.end(id, "done", NOW - 10_000 + index);
    expect(lines()).toEqual(["b", "a", "garbled"].map((id) => `changes: tidy > warder changes diff run-${id}`));
  });

  test("is a run that was killed, or parked and answered; the scheduler goes on with its own", () => {
    const { run, store, lines } = scene();
    run("run-killed", { owner: DEAD, minutesAgo: 30 });
    run("run-job", { owner: DEAD, job: "nightly" });
    run("run-parked", { minutesAgo: 20 });
    store.runs.park("run-parked", { owner: ownerOfThisProcess(), approval: "approval-gone", nowMs: NOW - 1000 });
    expect(lines()).toEqual(["run: killed: tidy > warder run --resume run-killed", "run: parked: tidy > warder run --resume run-parked"]);
  });

  test("is a job whose last run failed or was refused, or that is held", () => {
    const { store, tick, lines } = scene();
    store.schedule.addJob(hourlyJob());
    tick({ atMs: NOW - 900_000, outcome: "failed" });
    expect(lines()).toEqual(["job: nightly: failed > warder schedule history nightly"]);
    tick({ outcome: "denied", detail: "2 of 2 calls were refused", run: "run-x" });
    tick({ atMs: NOW - 1000, state: "missed" });
    expect(lines()).toEqual(["job: nightly: denied: 2 of 2 calls were refused > warder audit tail --run run-x"]);
    tick({ atMs: NOW - 500 });
    expect(lines()).toEqual([]);
    store.schedule.hold("nightly", "its policy changed");
    expect(lines()).toEqual(["job: nightly: held: its policy changed > warder schedule confirm nightly"]);
  });

  test("is the last run that a crontab started for a task, when it ended badly in the last week", () => {
    const { run, store, lines } = scene();
    const end = (id: string, ending: string, task: string, minutesAgo: number): void => {
      run(id, { isUnattended: true, task, minutesAgo });
      store.runs.end(id, ending, NOW - minutesAgo * 60_000 + 1);
    };
    end("run-1", "denied", "sweep", 60);
    end("run-2", "failed", "report", 50);
    end("run-3", "done", "report", 40);
    end("run-4", "failed", "old", 8 * 24 * 60);
    expect(lines()).toEqual(["job: denied: sweep > warder audit tail --run run-1"]);
  });
});
