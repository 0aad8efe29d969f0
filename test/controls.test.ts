import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { draw, judge, switchOff } from "../toolbox/controls/control.ts";
import { behavioursIn, controlsIn } from "../toolbox/controls/lists.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const controls = [...controlsIn(root), ...behavioursIn(root)];
const green = { passed: 2, failed: 0, unloaded: 0, ms: 1 };

describe("the list of controls", () => {
  test("is not empty and names each control once", () => {
    expect(controls.length).toBeGreaterThanOrEqual(20);
    expect(new Set(controls.map(({ id }) => id)).size).toBe(controls.length);
  });

  test.each(controls.map((control) => [control.id, control] as const))("%s: its patch fits, and its tests are there", (_id, control) => {
    expect(Object.keys(control).toSorted()).toEqual(["because", "file", "id", "replace", "search", "tests"]);
    expect(switchOff(control, readFileSync(root + control.file, "utf8"))).not.toBe("");
    expect(control.because).toMatch(/\.$/);
    expect(control.tests.filter(({ file }) => !existsSync(root + file))).toEqual([]);
    expect(control.tests.length).toBeGreaterThan(0);
  });
});

describe("the judgement of a control", () => {
  const control = { id: "a", file: "a.ts", search: "if (isForbidden) return deny;", replace: "", tests: [], because: "" };

  test("is guarded when a test turns red without it", () => {
    expect(judge(green, { passed: 1, failed: 1, unloaded: 0, ms: 1 }).isGuarded).toBe(true);
  });

  test.each([
    ["tests stay green without it", green, green],
    ["tests are red with it", { passed: 1, failed: 1, unloaded: 0, ms: 1 }, { passed: 0, failed: 2, unloaded: 0, ms: 1 }],
    ["no test runs", { passed: 0, failed: 0, unloaded: 0, ms: 1 }, { passed: 0, failed: 1, unloaded: 0, ms: 1 }],
    ["the patch breaks the loading of a test file", green, { passed: 0, failed: 1, unloaded: 1, ms: 1 }],
  ])("is not guarded when %s", (_what, withControl, withoutControl) => {
    expect(judge(withControl, withoutControl).isGuarded).toBe(false);
  });

  test("refuses a patch whose place is missing, there twice, or unchanged", () => {
    expect(() => switchOff(control, "return allow;")).toThrow("0 times");
    expect(() => switchOff(control, `${control.search}\n${control.search}`)).toThrow("2 times");
    expect(() => switchOff({ ...control, replace: control.search }, control.search)).toThrow("changes nothing");
  });

  test("draws the same controls for the same seed, and each one once", () => {
    const list = Array.from({ length: 30 }, (_unused, index) => ({ ...control, id: String(index) }));
    expect(draw(list, 5, 7)).toEqual(draw(list, 5, 7));
    expect(draw(list, 5, 7)).not.toEqual(draw(list, 5, 8));
    expect(new Set(draw(list, 99, 7)).size).toBe(30);
  });
});
