import { expect, test } from "vitest";
import { LONGEST, testFiles } from "../support/file-groups.ts";

test("the longest files of tests are where the order of a run looks for them", () => {
  const { quick, programs, machine } = testFiles();
  expect(LONGEST.filter((file) => ![...quick, ...programs, ...machine].includes(file))).toEqual([]);
});

test("what starts containers or programs is none of the quick files, and what decides is", () => {
  const { quick, programs, machine } = testFiles();
  expect(machine).toEqual(expect.arrayContaining(["test/sandbox/docker/runtime.test.ts", "test/end-to-end/exec.test.ts", "test/escape/escape.test.ts"]));
  expect(programs).toEqual(expect.arrayContaining(["test/cli/first-errors.test.ts", "test/sandbox/supervisor/session.test.ts"]));
  expect(quick).toEqual(expect.arrayContaining(["test/shell/vectors.test.ts", "test/policy/deciding/truth-table.test.ts"]));
});
