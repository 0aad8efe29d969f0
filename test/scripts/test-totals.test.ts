import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../support/temporary-store.ts";

const PROGRAM = join(import.meta.dirname, "../../scripts/test-totals.ts");

function totals(report: unknown): { readonly status: number | null; readonly stdout: string } {
  const path = join(temporaryDirectory(), "report.json");
  writeFileSync(path, report === null ? "" : JSON.stringify(report));
  return spawnSync(process.execPath, [PROGRAM, path], { encoding: "utf8" });
}

test("a test that was green on its second try passes, and is named with what it said first", () => {
  const assertionResults = [
    { status: "passed", fullName: "at once", failureMessages: [] },
    { status: "passed", fullName: "later", failureMessages: ["Error: too slow\n    at x"] },
  ];
  const report = {
    success: true,
    numPassedTests: 2,
    numFailedTests: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [{ status: "passed", assertionResults }],
  };
  expect(totals(report)).toMatchObject({ status: 0, stdout: "Green on the second try, 1:\n  later\n    Error: too slow\n2 passed, 0 failed\n" });
});

test("no report, and a file that does not load, are red", () => {
  const report = {
    success: false,
    numPassedTests: 0,
    numFailedTests: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [{ status: "failed", assertionResults: [] }],
  };
  expect(totals(report)).toMatchObject({ status: 1, stdout: "0 passed, 1 failed\n" });
  expect(totals(null)).toMatchObject({ status: 1, stdout: "0 passed, 1 failed\n" });
});
