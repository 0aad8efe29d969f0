import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { reapRuns } from "../../../src/sandbox/workspace/reap.ts";
import { holdMounts } from "../../../src/sandbox/workspace/mounts/guardian.ts";
import { readRecord, writeRecord } from "../../../src/sandbox/workspace/record.ts";
import { lockRecord } from "../../../src/sandbox/workspace/mounts/run-lock.ts";
import { ownerOfThisProcess } from "../../../src/store/lock/process-owner.ts";
import { deadOwner } from "../../support/dead-owner.ts";

describe("reaping the runs of dead owners", () => {
  let state = "";
  let run = "";
  let owner = "";
  beforeEach(() => {
    state = mkdtempSync("/var/tmp/warder-test-");
    run = `${state}/runs/run-of-a-test`;
    owner = `${run}/workspace/owner`;
    mkdirSync(`${run}/workspace`, { recursive: true });
    writeFileSync(owner, deadOwner());
  });
  afterEach(() => {
    rmSync(state, { recursive: true });
  });

  const withChanges = (): void => {
    writeRecord(run, { version: 1, runId: "run-of-a-test", workspace: "/srv/work", user: { uid: 1, gid: 1 }, owner: deadOwner(), image: null, state: "open" });
  };

  test("closes a run and keeps its changes", async () => {
    withChanges();
    expect(await reapRuns(state)).toEqual(["closed run-of-a-test, whose owner is gone"]);
    expect(readRecord(run)).toMatchObject({ state: "closed" });
    expect(existsSync(owner)).toBe(false);
    expect(await reapRuns(state)).toEqual([]);
  });

  test("leaves a run to whoever took it before the lock was free", async () => {
    withChanges();
    // Another process that reviews or resumes the run: it holds the run's lock while it makes the run its own.
    const other = await holdMounts([lockRecord(run)]);
    const reaping = reapRuns(state);
    writeFileSync(owner, ownerOfThisProcess());
    await other.release();
    expect(await reaping).toEqual([]);
    expect(readFileSync(owner, "utf8")).toBe(ownerOfThisProcess());
    expect(readRecord(run)).toMatchObject({ state: "open" });
  });

  test("says what it left to a process that does not let go", async () => {
    const other = await holdMounts([lockRecord(run)]);
    try {
      expect(await reapRuns(state)).toEqual([expect.stringMatching(/^left run-of-a-test as it is: Another process works with this run/u)]);
      expect(existsSync(owner)).toBe(true);
    } finally {
      await other.release();
    }
  });
});
