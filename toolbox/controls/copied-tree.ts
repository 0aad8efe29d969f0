import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ownFolder, removeFolder } from "../../test/support/run-folder.ts";
import type { Control, TestRun } from "./control.ts";
import { switchOff } from "./control.ts";

type Report = {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly { readonly status: string }[] }[];
};

/** Shared with the checkout; everything else is copied, what is not committed included. */
const SHARED = ["node_modules", ".tools"];
/** Parts in C, which are built again when a control in them is switched off. */
const BUILT_PARTS = ["sandbox/supervisor", "sandbox/host"];
const TIMEOUT_MS = 200_000;

/** A copy of a checkout, in which controls are switched off one at a time. */
export class CopiedTree {
  readonly #root: string;
  /** Runs with every control in place, by file and name: several controls share tests. */
  readonly #baselines = new Map<string, TestRun>();

  constructor(checkout: string) {
    this.#root = ownFolder(tmpdir(), "warder-controls");
    // The egress proxy reads its program as a user of its own.
    chmodSync(this.#root, 0o755);
    const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "-z"], { cwd: checkout, encoding: "utf8" });
    for (const file of files.split("\0").filter((path) => path !== "" && existsSync(join(checkout, path)))) {
      mkdirSync(join(this.#root, dirname(file)), { recursive: true });
      cpSync(join(checkout, file), join(this.#root, file), { verbatimSymlinks: true });
    }
    cpSync(join(checkout, "sandbox/build"), join(this.#root, "sandbox/build"), { recursive: true });
    for (const folder of SHARED) symlinkSync(realpathSync(join(checkout, folder)), join(this.#root, folder));
  }

  /** Runs a control's tests with it in place. */
  withControl(control: Control): TestRun {
    return sumOf(
      control.tests.map(({ file, name }) => {
        const key = `${file}\n${name}`;
        const run = this.#baselines.get(key) ?? this.#runVitest(file, name);
        this.#baselines.set(key, run);
        return run;
      }),
    );
  }

  /** Runs a control's tests with its patch applied, and takes the patch back. */
  withoutControl(control: Control): TestRun {
    const path = join(this.#root, control.file);
    const text = readFileSync(path, "utf8");
    this.#write(control, switchOff(control, text));
    try {
      return sumOf(control.tests.map(({ file, name }) => this.#runVitest(file, name)));
    } finally {
      this.#write(control, text);
    }
  }

  /** Applies patches, has `use` work in the tree, and takes them back. Throws when a search text is not there exactly once. */
  withPatches<Result>(id: string, patches: readonly Pick<Control, "file" | "search" | "replace">[], use: (root: string) => Result): Result {
    const texts = new Map(patches.map(({ file }) => [file, readFileSync(join(this.#root, file), "utf8")]));
    const patched = new Map(texts);
    for (const patch of patches) patched.set(patch.file, switchOff({ id, ...patch }, patched.get(patch.file) ?? ""));
    try {
      for (const [file, text] of patched) this.#write({ file }, text);
      return use(this.#root);
    } finally {
      for (const [file, text] of texts) this.#write({ file }, text);
    }
  }

  remove(): void {
    removeFolder(this.#root);
  }

  #write(control: Pick<Control, "file">, text: string): void {
    writeFileSync(join(this.#root, control.file), text);
    const part = BUILT_PARTS.find((folder) => control.file.startsWith(`${folder}/`));
    if (part !== undefined) execFileSync("sh", [join(this.#root, part, "build.sh")], { stdio: "pipe" });
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
    if (run.error !== undefined || run.signal !== null) return { passed: 0, failed: 1, unloaded: 0, isCutOff: true };
    const report = JSON.parse(readFileSync(results, "utf8")) as Report;
    const red = report.testResults.filter((result) => result.status === "failed" && result.assertionResults.every(({ status }) => status !== "failed"));
    const unloaded = red.filter((result) => result.assertionResults.length === 0).length;
    // A hook that fails is red as well: vitest skips the tests behind it and counts none.
    return { passed: report.numPassedTests, failed: report.numFailedTests + red.length - unloaded, unloaded };
  }
}

function sumOf(runs: readonly TestRun[]): TestRun {
  const total = { passed: 0, failed: 0, unloaded: 0, isCutOff: runs.some(({ isCutOff }) => isCutOff) };
  for (const run of runs) for (const key of ["passed", "failed", "unloaded"] as const) total[key] += run[key];
  return total;
}
