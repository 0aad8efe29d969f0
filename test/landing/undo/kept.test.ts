import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { reapRuns } from "../../../src/sandbox/reap.ts";
import { workspacePaths } from "../../../src/sandbox/workspace/record.ts";
import { openUndo, unkeptOf } from "../../../src/landing/undo/undo.ts";
import { isWhole } from "../../support/extent.ts";
import { type GitWorkspace, gitWorkspace } from "../../support/git-workspace.ts";
import { runsRootTests } from "../../support/root.ts";
import { undoIn } from "../../support/undo-workspace.ts";

let here: GitWorkspace;
afterEach(async () => {
  await here.remove();
});

const MEBIBYTE = 1024 ** 2;

describe.runIf(runsRootTests)("what can be taken back", () => {
  test("takes no more room than it may, of all runs together: the oldest goes first, and the last stays", async () => {
    here = await gitWorkspace("for i in 1 2 3; do head -c 2000000 /dev/urandom > $i; done");
    here.inRun("for i in 1 2 3; do echo new > $i; done; echo more > rest");
    for (const path of ["1", "2", "3"]) await here.apply([path]);
    const { undo } = workspacePaths(here.runDirectory);
    const left = (): readonly boolean[] => [1, 2, 3].map((number) => existsSync(join(undo, String(number))));
    const state = join(here.runDirectory, "../..");
    const reap = (maxBytes: number): Promise<unknown> => reapRuns(state, undefined, maxBytes);
    await reap(8 * MEBIBYTE);
    expect(left()).toEqual([true, true, true]);
    await reap(5 * MEBIBYTE);
    expect(left()).toEqual([false, true, true]);
    await reap(1);
    expect(left()).toEqual([false, false, true]);
    expect((await undoIn(here.runDirectory)).applied.map(({ path }) => path)).toEqual(["3"]);
    expect(await openUndo(here.runDirectory)).toBeNull();
  });

  test("stays with somebody who works with the run", async () => {
    here = await gitWorkspace("echo old > 1; echo old > 2");
    here.inRun("echo new > 1; echo new > 2; echo more > rest");
    for (const path of ["1", "2"]) await here.apply([path]);
    const review = await here.review();
    await reapRuns(join(here.runDirectory, "../.."), undefined, 1);
    await review.close();
    expect(existsSync(join(workspacePaths(here.runDirectory).undo, "1"))).toBe(true);
  });

  test("is said where it cannot be", async () => {
    here = await gitWorkspace("echo old > a; echo old > b");
    here.inRun("echo new > a; rm b");
    await here.apply();
    expect(unkeptOf(here.runDirectory, ["a", "b"])).toEqual([]);
    rmSync(join(workspacePaths(here.runDirectory).undo, "1/files/b"));
    expect([unkeptOf(here.runDirectory, ["a", "b"]), unkeptOf(here.runDirectory, ["a"])]).toEqual([["b"], []]);
    rmSync(workspacePaths(here.runDirectory).undo, { recursive: true });
    expect(unkeptOf(here.runDirectory, ["a", "b"])).toEqual([]);
  });

  test.runIf(isWhole)("is said of more than is copied", async () => {
    here = await gitWorkspace("echo old > a; truncate -s 1100M large; chmod 2755 large");
    here.inRun("rm large; echo new > a");
    const report = await here.apply();
    const landed = report.applied.map(({ path }) => path);
    expect([landed, unkeptOf(here.runDirectory, landed)]).toEqual([["a", "large"], ["large"]]);
    expect((await undoIn(here.runDirectory)).refused).toEqual([expect.objectContaining({ reason: expect.stringContaining("larger than what is kept") })]);
  });
});
