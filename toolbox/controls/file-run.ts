import type { NamedTests, TestRun } from "./control.ts";

/** What became of the tests of one file. */
export type FileRun = {
  /** Those that ran, by full title, and how long each took. */
  readonly tests: readonly { readonly title: string; readonly isPassed: boolean; readonly ms: number }[];
  /** The file did not load, or its process ended before its tests did. */
  readonly isUnloaded: boolean;
  /** A hook failed: vitest then skips the tests behind it and counts none. */
  readonly hasFailedHook: boolean;
  /** It was ended from outside. */
  readonly isCutOff: boolean;
};

/** What to run: the tests of one file that match a pattern, all of them or only until the first fails. */
export type FileRequest = {
  readonly file: string;
  readonly pattern: string;
  readonly endsAtFirstRed: boolean;
  /** Files of the tree that are not what they were at the last request. */
  readonly changed: readonly string[];
};

export const UNLOADED: FileRun = { tests: [], isUnloaded: true, hasFailedHook: false, isCutOff: false };
export const CUT_OFF: FileRun = { tests: [], isUnloaded: false, hasFailedHook: false, isCutOff: true };

/** One pattern that selects what each of the patterns selects. */
export function anyOf(patterns: readonly string[]): string {
  return [...new Set(patterns)].map((pattern) => `(?:${pattern})`).join("|");
}

/** What the run of a whole file says of the tests that a pattern selects. What befell the file befell each of them. */
export function partOf(run: FileRun, { name }: NamedTests): TestRun {
  const pattern = new RegExp(name);
  const tests = run.tests.filter(({ title }) => pattern.test(title));
  const red = tests.find(({ isPassed }) => !isPassed)?.title ?? (run.hasFailedHook ? "a hook" : undefined);
  const failed = tests.filter(({ isPassed }) => !isPassed).length;
  return {
    passed: tests.length - failed,
    // A test that never ends is red, too: that is what a missing time limit looks like.
    failed: run.isCutOff ? 1 : failed === 0 && run.hasFailedHook ? 1 : failed,
    unloaded: run.isUnloaded ? 1 : 0,
    isCutOff: run.isCutOff,
    ms: tests.reduce((sum, { ms }) => sum + ms, 0),
    ...(red === undefined ? {} : { red }),
  };
}

/** Several runs as one. */
export function sumOf(runs: readonly TestRun[]): TestRun {
  const total = { passed: 0, failed: 0, unloaded: 0, ms: 0, isCutOff: runs.some(({ isCutOff }) => isCutOff) };
  for (const run of runs) for (const key of ["passed", "failed", "unloaded", "ms"] as const) total[key] += run[key];
  const red = runs.find((run) => run.red !== undefined)?.red;
  return red === undefined ? total : { ...total, red };
}
