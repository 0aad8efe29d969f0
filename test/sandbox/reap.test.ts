import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AgentError } from "../../src/base/errors.ts";
import type { Settle } from "../../src/sandbox/mounts.ts";
import { reapRuns } from "../../src/sandbox/reap.ts";
import { holdMounts } from "../../src/sandbox/workspace/mounts/guardian.ts";
import { readRecord, type WorkspaceRecord, writeRecord } from "../../src/sandbox/workspace/record.ts";
import { lockRecord } from "../../src/sandbox/workspace/mounts/run-lock.ts";
import { openChanges } from "../../src/landing/review/review.ts";
import { ownerOfThisProcess } from "../../src/store/lock/process-owner.ts";
import { deadOwner } from "../support/dead-owner.ts";

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

  const withChanges = (more: Partial<WorkspaceRecord> = {}): void => {
    const user = { uid: 1, gid: 1 };
    writeRecord(run, { version: 1, runId: "run-of-a-test", workspace: state, user, owner: deadOwner(), image: null, ...more, state: "open" });
  };
  const elsewhere = { address: "tcp://127.0.0.1:1", imageId: "sha256:0", store: "store-of-a-test" };

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

  test.each<[string, Settle | undefined, RegExp]>([
    ["nobody asks an engine", undefined, /^left run-of-a-test as it is: what it wrote is on the engine at tcp:\/\/127\.0\.0\.1:1, and stays there/u],
    [
      "the engine does not give it back",
      () => Promise.reject(new AgentError("sandbox-unavailable", "the engine has a fault")),
      /^left run-of-a-test as it is: the engine has a fault/u,
    ],
  ])("does not close a run whose changes are on an engine elsewhere when %s", async (_when, settle, line) => {
    withChanges({ elsewhere });
    expect(await reapRuns(state, settle)).toEqual([expect.stringMatching(line)]);
    expect(readRecord(run)).toMatchObject({ state: "open", elsewhere });
    expect(existsSync(owner)).toBe(true);
    // Nor does anybody review what is not there.
    const answers = settle === undefined ? [] : [`left run-of-a-test as it is: the engine has a fault`];
    await expect(openChanges(run, { endSandboxes: () => Promise.resolve(answers) })).rejects.toMatchObject({
      code: "sandbox-unavailable",
      message: expect.stringMatching(/still on the engine at tcp:\/\/127\.0\.0\.1:1\. Nothing of it is lost\..*docker volume rm store-of-a-test/su),
    });
  });

  test("closes it once they are back, and not before", async () => {
    withChanges({ elsewhere });
    const settle: Settle = (left, { runId, uppers }, keep) => {
      expect([left, runId, ...uppers]).toEqual([elsewhere, "run-of-a-test", `${run}/workspace/layers/upper`]);
      expect(readRecord(run)).toMatchObject({ elsewhere });
      keep();
      expect(readRecord(run)?.elsewhere).toBeUndefined();
      return Promise.resolve(true);
    };
    expect(await reapRuns(state, settle)).toEqual([expect.stringMatching(/^brought back what run-of-a-test wrote on the engine at .*; closed run-of-a-test/u)]);
    expect(readRecord(run)).toMatchObject({ state: "closed" });
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
