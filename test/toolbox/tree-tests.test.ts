import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Control, judge, type TestRun } from "../../toolbox/controls/control.ts";
import { CopiedTree } from "../../toolbox/controls/copied-tree.ts";
import { partOf } from "../../toolbox/controls/file-run.ts";
import { TreeTests } from "../../toolbox/controls/tree-tests.ts";

const checkout = fileURLToPath(new URL("../..", import.meta.url));
const subject = "toolbox/controls/control.ts";
const tests = { file: "test/controls.test.ts", name: "whose place is missing" };
const check = "if (places !== 1) throw";

/** A control of the test that a patch's place must be there exactly once. */
const control = (search: string, replace: string): Control => ({ id: "a", file: subject, search, replace, tests: [tests], because: "" });

describe("a vitest that stays in a copy of the tree", () => {
  const folder = mkdtempSync(join(tmpdir(), "warder-tree-"));
  const tree = CopiedTree.ofCheckout(checkout, join(folder, "tree"));
  const runner = new TreeTests(tree);
  const green = async (): Promise<TestRun> => partOf(await runner.withControls(tests.file, tests.name, 1), tests);
  let before: TestRun;

  beforeAll(async () => {
    before = await green();
  });
  afterAll(async () => {
    await runner.close();
    rmSync(folder, { recursive: true });
  });

  test("sees a patch, and sees it taken back", async () => {
    expect(before).toEqual({ passed: 1, failed: 0, unloaded: 0, ms: expect.any(Number), isCutOff: false });
    const without = await runner.withoutControl(control(check, "if (places > 1) throw"), 0);
    expect(judge(before, without)).toEqual({ isGuarded: true, detail: expect.stringMatching(/^red: the judgement of a control > .* missing/u) });
    expect(await green()).toEqual({ ...before, ms: expect.any(Number) });
    expect(readFileSync(join(tree.root, subject), "utf8")).toBe(readFileSync(join(checkout, subject), "utf8"));
  });

  test.each([
    ["no test notices", "if (places < 1 || places > 1) throw", "still green"],
    ["keeps the file from loading", "if places !== 1) throw", "keeps a test file from loading"],
    ["ends the process of the test", 'process.kill(process.pid, "SIGKILL"); if (places !== 1) throw', "keeps a test file from loading"],
  ])("takes a patch that %s for no proof", async (_what, replace, detail) => {
    const verdict = judge(before, await runner.withoutControl(control(check, replace), 0));
    expect(verdict).toEqual({ isGuarded: false, detail: expect.stringContaining(detail) });
    expect(await green()).toEqual({ ...before, ms: expect.any(Number) });
  });

  test("ends a test that never ends, and runs the next one", async () => {
    const hasty = new TreeTests(tree, 2_000);
    try {
      expect(await hasty.withoutControl(control(check, "for (;;); if (places !== 1) throw"), 0)).toMatchObject({ failed: 1, isCutOff: true });
    } finally {
      await hasty.close();
    }
    expect(await green()).toEqual({ ...before, ms: expect.any(Number) });
  });
});
