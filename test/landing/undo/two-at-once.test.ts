import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { ownerOf } from "../../../src/sandbox/owner.ts";
import { prepareWorkspace } from "../../../src/sandbox/workspace/prepare.ts";
import { readRecord, workspacePaths, writeRecord } from "../../../src/sandbox/workspace/record.ts";
import { openChanges } from "../../../src/landing/review/review.ts";
import { openUndo } from "../../../src/landing/undo/undo.ts";
import { makeFixture, profileOf } from "../../contract/sandbox-fixture.ts";
import { rounds } from "../../support/extent.ts";
import { type GitWorkspace, gitWorkspace } from "../../support/git-workspace.ts";
import { runsRootTests } from "../../support/root.ts";
import { FACTS, undoIn } from "../../support/undo-workspace.ts";
import { once } from "../../support/until.ts";

const PROGRAMS = join(import.meta.dirname, "../../support/programs");

let here: GitWorkspace;
afterEach(async () => {
  await here.remove();
});

/** How a program ends that is started after a time: done, or what it complained of. */
async function endOf(program: string, afterMs: number): Promise<string> {
  await pause(afterMs);
  const child = spawn(process.execPath, [join(PROGRAMS, program), here.runDirectory], { stdio: ["ignore", "ignore", "pipe"] });
  let complaint = "";
  child.stderr.on("data", (part: Buffer) => (complaint += part.toString()));
  const [status] = (await once(child, "close")) as [number | null];
  return status === 0 ? "done" : complaint;
}

describe.runIf(runsRootTests)("an undo", () => {
  test("that meets a landing of the rest: one waits, and says for whom, and the end is one of the two orders", async () => {
    for (let round = 0; round < rounds(3, 40); round += 1) {
      if (round > 0) await here.remove();
      here = await gitWorkspace("git init -q; for i in $(seq 40); do echo old > $i; done; git add .; git commit -qm one");
      here.inRun("for i in $(seq 40); do echo new > $i; done; git add .; git commit -qm two");
      await here.apply(["1", "2", "3"]);
      const landed = here.onHost(FACTS);
      const [undone, applied] = await Promise.all([endOf("undo-changes.ts", (round % 5) * 40), endOf("apply-changes.ts", ((round + 2) % 5) * 40)]);
      for (const end of [undone, applied]) expect(end).toMatch(/^done$|works with this run/u);
      expect([undone, applied]).toContain("done");
      expect((undone === "done" && applied === "done") || here.onHost(FACTS) !== landed).toBe(true);
      here.onHost("git fsck --strict --no-dangling; test -z \"$(find .git -name '*.lock')\"");
      // Whatever the order was, all of it can be landed.
      if (readRecord(here.runDirectory)?.state === "closed") await here.apply();
      expect(here.onHost("cat $(seq 40) | sort -u; git log --format=%s; git status --porcelain")).toBe("new\ntwo\none\n");
    }
  });

  test("waits for the end of its run, which goes on", async () => {
    here = await gitWorkspace("echo old > a; echo old > b");
    here.inRun("echo new > a; echo new > b");
    await here.apply(["a"]);
    const record = readRecord(here.runDirectory);
    if (record === null) throw new Error("There is no record.");
    const parent = spawn("sleep", ["60"]);
    writeRecord(here.runDirectory, { ...record, state: "open", owner: ownerOf(parent.pid ?? 0) ?? "" });
    await expect(openUndo(here.runDirectory)).rejects.toThrow(/is still going/u);
    parent.kill();
    await once(parent, "close");
    writeRecord(here.runDirectory, record);
    await undoIn(here.runDirectory);
    expect(here.onHost("cat a")).toBe("old\n");
  });

  test("while another run has the same workspace open: what that run sees of it does not land over what came back", async () => {
    here = await gitWorkspace("echo old > a; echo old > b");
    here.inRun("echo new > a");
    await here.apply();
    const other = makeFixture();
    const profile = profileOf({ ...other, workspace: here.workspace });
    const prepared = await prepareWorkspace(profile, { runId: other.runId, runDirectory: other.runDirectory, isReachable: false });
    const view = workspacePaths(other.runDirectory).merged;
    try {
      await undoIn(here.runDirectory);
      expect(here.onHost(`cat a; echo theirs > ${view}/a; echo theirs > ${view}/b`)).toBe("old\n");
    } finally {
      await prepared.release();
    }
    try {
      const left = readRecord(other.runDirectory);
      if (left !== null) writeRecord(other.runDirectory, { ...left, state: "closed" });
      const review = await openChanges(other.runDirectory);
      const report = await review?.apply({ mayWrite: () => null });
      await review?.close();
      expect(report?.refused.map(({ change, reason }) => `${change.path}: ${reason}`)).toEqual([
        expect.stringMatching(/^a: Conflict: somebody changed it since/u),
      ]);
      expect(here.onHost("cat a b")).toBe("old\ntheirs\n");
    } finally {
      other.remove();
    }
  });
});
