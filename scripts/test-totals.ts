/**
 * Prints the totals of a vitest JSON report as one line, `N passed, N failed, N skipped`; a report that is not there counts as a failure.
 * Tests that were red and then green on their second try are named before it, each with what it said first: they pass, and want repair.
 */
import { readFileSync } from "node:fs";

type TestResult = { readonly status: string; readonly fullName: string; readonly failureMessages: readonly string[] };
type Report = {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly TestResult[] }[];
};

const [path] = process.argv.slice(2);
const text = path === undefined ? "" : readFileSync(path, "utf8");
if (text === "") {
  console.log("0 passed, 1 failed");
  process.exitCode = 1;
} else {
  const report = JSON.parse(text) as Report;
  // A file that does not load, or whose hook fails, has no failed test: it counts as one.
  const red = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.every(({ status }) => status !== "failed")).length;
  const failed = report.numFailedTests + red;
  const second = report.testResults
    .flatMap((file) => file.assertionResults)
    .filter(({ status, failureMessages }) => status === "passed" && failureMessages.length > 0);
  if (second.length > 0) console.log(`Green on the second try, ${second.length}:`);
  for (const { fullName, failureMessages } of second) console.log(`  ${fullName}\n    ${failureMessages[0]?.split("\n")[0] ?? ""}`);
  const skipped = report.numPendingTests + report.numTodoTests;
  console.log(`${report.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  if (!report.success || failed > 0 || report.numPassedTests === 0) process.exitCode = 1;
}
