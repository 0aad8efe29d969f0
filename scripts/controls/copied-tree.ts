import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Control, TestRun } from "./control.ts";
import { switchOff } from "./control.ts";

type Report = {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
};

/** Packages and built programs are shared with the checkout; sources and tests are copied, what is not committed included. */
const SHARED = ["node_modules", "sandbox/build", ".tools"];
const TIMEOUT_MS = 600_000;

/** A copy of a checkout, in which controls are switched off one at a time. */
export class CopiedTree {
  readonly #root: string;

  constructor(checkout: string) {
    this.#root = mkdtempSync(join(tmpdir(), "warder-controls-"));
    const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "-z"], { cwd: checkout, encoding: "utf8" });
    for (const file of files.split("\0").filter((path) => path !== "")) {
      mkdirSync(join(this.#root, dirname(file)), { recursive: true });
      cpSync(join(checkout, file), join(this.#root, file), { verbatimSymlinks: true });
    }
    for (const folder of SHARED) symlinkSync(join(checkout, folder), join(this.#root, folder));
  }

  /** Runs a control's tests with it in place. */
  withControl(control: Control): TestRun {
    return this.#runTests(control);
  }

  /** Runs a control's tests with its patch applied, and takes the patch back. */
  withoutControl(control: Control): TestRun {
    const path = join(this.#root, control.file);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, switchOff(control, text));
    try {
      return this.#runTests(control);
    } finally {
      writeFileSync(path, text);
    }
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  #runTests(control: Control): TestRun {
    const runs = control.tests.map(({ file, name }) => this.#runVitest(file, name));
    const sum = (count: (run: TestRun) => number): number => runs.reduce((total, run) => total + count(run), 0);
    return { passed: sum((run) => run.passed), failed: sum((run) => run.failed), unloaded: sum((run) => run.unloaded) };
  }

  #runVitest(file: string, name: string): TestRun {
    const results = join(this.#root, "results.json");
    rmSync(results, { force: true });
    const argv = [
      join(this.#root, "node_modules/vitest/vitest.mjs"),
      "run",
      "--root",
      this.#root,
      "--reporter=json",
      `--outputFile.json=${results}`,
      "--testNamePattern",
      name,
      file,
    ];
    const run = spawnSync(process.execPath, argv, { cwd: this.#root, stdio: "ignore", timeout: TIMEOUT_MS, killSignal: "SIGKILL" });
    // A test that never ends is red, too: that is what a missing time limit looks like.
    if (run.error !== undefined || run.signal !== null) return { passed: 0, failed: 1, unloaded: 0 };
    const report = JSON.parse(readFileSync(results, "utf8")) as Report;
    const unloaded = report.testResults.filter((result) => result.status === "failed" && result.assertionResults.length === 0).length;
    return { passed: report.numPassedTests, failed: report.numFailedTests, unloaded };
  }
}
