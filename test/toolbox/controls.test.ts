import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Bench, Campaign } from "../../toolbox/controls/campaign.ts";
import type { Control, TestRun } from "../../toolbox/controls/control.ts";
import { anyOf, type FileRun, partOf, sumOf } from "../../toolbox/controls/file-run.ts";
import { openResults } from "../../toolbox/controls/results.ts";

const ran: FileRun = {
  tests: [
    { title: "a > one", isPassed: true, ms: 3 },
    { title: "a > two", isPassed: false, ms: 4 },
  ],
  isUnloaded: false,
  hasFailedHook: false,
  isCutOff: false,
};
const part = (run: FileRun, name: string): object => partOf(run, { file: "a.test.ts", name });
const control = (id: string, file: string, name: string): Control => ({ id, file: "a.ts", search: "a", replace: "b", tests: [{ file, name }], because: "" });

describe("what a run of a whole file says of a control's tests", () => {
  test("is what became of those that its pattern selects", () => {
    expect(part(ran, "one$")).toMatchObject({ passed: 1, failed: 0, unloaded: 0 });
    expect(part(ran, "a > t")).toMatchObject({ passed: 0, failed: 1, red: "a > two" });
    expect(part(ran, "nothing")).toMatchObject({ passed: 0, failed: 0 });
  });

  test.each([
    ["a hook failed", { hasFailedHook: true }, { failed: 1 }],
    ["it did not load", { isUnloaded: true }, { unloaded: 1 }],
    ["it was cut off", { isCutOff: true }, { failed: 1, isCutOff: true }],
  ])("is the same for each of them when %s", (_what, change, expected) => {
    expect(part({ ...ran, ...change }, "one$")).toMatchObject(expected);
  });

  test("adds up over files", () => {
    expect(
      sumOf([
        { passed: 1, failed: 0, unloaded: 0, ms: 3 },
        { passed: 2, failed: 1, unloaded: 0, ms: 4, red: "x" },
      ]),
    ).toEqual({ passed: 3, failed: 1, unloaded: 0, ms: 7, isCutOff: false, red: "x" });
  });
});

describe("a campaign over controls", () => {
  test("runs a test file once with every control in place, for all patterns at once, and each control once without it", async () => {
    const asked: string[] = [];
    const bench = {
      withControls: async (file: string, pattern: string): Promise<FileRun> => {
        asked.push(`${file} ${pattern}`);
        return await Promise.resolve(ran);
      },
      withoutControl: async ({ id }: Control) => {
        asked.push(id);
        return await Promise.resolve({ passed: 0, failed: 1, unloaded: 0, ms: 1 });
      },
    };
    const verdicts = new Map<string, boolean>();
    const controls = [control("z", "b.test.ts", "one"), control("x", "a.test.ts", "one"), control("y", "a.test.ts", "two"), control("w", "b.test.ts", "one")];
    await new Campaign(controls).run(
      () => bench,
      { width: 2, most: 4, isBusy: () => false },
      ({ id }, { isGuarded }) => verdicts.set(id, isGuarded),
    );
    expect(asked.toSorted()).toEqual([`a.test.ts ${anyOf(["one", "two"])}`, `b.test.ts ${anyOf(["one"])}`, "w", "x", "z"]);
    expect(Object.fromEntries(verdicts)).toEqual({ x: true, y: false, z: true, w: true });
  });

  test.each([
    ["twenty seconds", 1, 20_000],
    ["twice what its tests took with it in place, on a slow machine", 15_000, 30_000],
    ["as long again, on a busy machine", 1, 40_000],
  ])("has another bench work beside a test that waits for what does not come, after %s", async (_what, ms, patience) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const startedMs = Date.now();
    const red: TestRun = { passed: 0, failed: 1, unloaded: 0, ms: 1 };
    const hang = Promise.withResolvers<TestRun>();
    const order: string[] = [];
    const bench: Bench = {
      withControls: async () => await Promise.resolve({ ...ran, tests: [{ title: "one", isPassed: true, ms }] }),
      withoutControl: async ({ id }) => await (id === "a" ? hang.promise : Promise.resolve(red)),
    };
    const campaign = new Campaign([control("a", "a.test.ts", "one"), control("b", "b.test.ts", "one")]);
    const end = campaign.run(
      () => bench,
      { width: 1, most: 2, isBusy: () => Date.now() - startedMs < patience - 1000 },
      ({ id }) => order.push(id),
    );
    await vi.advanceTimersByTimeAsync(patience - 1000);
    expect(order).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(order).toEqual(["b"]);
    hang.resolve(red);
    await end;
    expect(order).toEqual(["b", "a"]);
  });
});

describe("the results of an interrupted run", () => {
  test("leave out what is guarded, unless the control reads differently now, and what was cut off in its line", () => {
    const folder = mkdtempSync(join(tmpdir(), "warder-results-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "results.jsonl");
    const [guarded, open, torn] = [control("a", "a.test.ts", "one"), control("b", "a.test.ts", "one"), control("c", "a.test.ts", "one")];
    const first = openResults(path, "abc");
    first.add(guarded, { isGuarded: true, detail: "red" }, 1);
    first.add(open, { isGuarded: false, detail: "still green" }, 1);
    first.add(torn, { isGuarded: true, detail: "red" }, 1);
    writeFileSync(path, readFileSync(path, "utf8").slice(0, -10));
    const next = openResults(path, "abc");
    expect([guarded, open, torn, { ...guarded, replace: "c" }].map((one) => next.isGuarded(one))).toEqual([true, false, false, false]);
    next.add(torn, { isGuarded: true, detail: "red" }, 1);
    expect(openResults(path, "abc").isGuarded(torn)).toBe(true);
  });
});
