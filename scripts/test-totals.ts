/** Prints the totals of a vitest JSON report as one line, `N passed, N failed, N skipped`; a report that is not there counts as a failure. */
import { readFileSync } from "node:fs";

type Report = {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly { readonly status: string }[] }[];
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
  const skipped = report.numPendingTests + report.numTodoTests;
  console.log(`${report.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  if (!report.success || failed > 0 || report.numPassedTests === 0) process.exitCode = 1;
}
