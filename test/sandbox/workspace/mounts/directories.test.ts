import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { mountsBelow, removeTree, stageOf, unmountBelow } from "../../../../src/sandbox/workspace/mounts/directories.ts";
import { holdMounts } from "../../../../src/sandbox/workspace/mounts/guardian.ts";
import { runsRootTests } from "../../../support/root.ts";
import { diskFolder } from "../../../support/run-folder.ts";

describe.skipIf(!runsRootTests)("directories of ours with somebody's mounts in them", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(diskFolder(), "warder-test-"));
    mkdirSync(`${folder}/theirs`);
    mkdirSync(`${folder}/ours/root`, { recursive: true });
    writeFileSync(`${folder}/theirs/work.txt`, "a week of it");
  });
  afterEach(() => {
    unmountBelow(folder);
    rmSync(folder, { recursive: true });
  });

  test("are not removed, for the removal would go on inside", async () => {
    const guardian = await holdMounts([["bind", `${folder}/theirs`, `${folder}/ours/root`, "rw"]]);
    try {
      expect(() => {
        removeTree(`${folder}/ours`);
      }).toThrow(/still mounted/);
      expect(existsSync(`${folder}/theirs/work.txt`)).toBe(true);
    } finally {
      await guardian.release();
    }
    expect(mountsBelow(folder)).toEqual([]);
    removeTree(`${folder}/ours`);
    expect(existsSync(`${folder}/ours`)).toBe(false);
  });

  test("are not left mounted when a later record of a plan fails", async () => {
    const holding = holdMounts([
      ["bind", `${folder}/theirs`, `${folder}/ours/root`, "ro"],
      ["bind", `${folder}/not-there`, `${folder}/ours/root`, "ro"],
    ]);
    await expect(holding).rejects.toMatchObject({ code: "sandbox-unavailable", message: expect.stringContaining("not-there") });
    expect(mountsBelow(folder)).toEqual([]);
  });
});

test("a run's stage has the run's name and no other path", () => {
  expect(stageOf("run-abc")).toBe("/run/warder-run-abc");
  expect(() => stageOf("../x")).toThrow(/no id/);
});
