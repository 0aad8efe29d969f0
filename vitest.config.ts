import { configDefaults, defineConfig } from "vitest/config";
import { LongestFirst, testFiles } from "./test/support/file-groups.ts";

const files = testFiles();

export default defineConfig({
  test: {
    exclude: [...configDefaults.exclude, "dist/**", ".tools/**", ".stryker-tmp/**"],
    globalSetup: ["test/support/run-folder.ts"],
    setupFiles: ["test/support/property-seed.ts", "test/support/bounded-programs.ts"],
    // Processes, not threads: tests change the environment.
    pool: "forks",
    // Three times as many as a small machine has cores, because tests wait much: for engines, for processes, for time to pass.
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    projects: [
      // What needs no engine and no root shares processes, and loads what it tests once in each.
      { extends: true, test: { name: "quick", include: [...files.quick], isolate: false } },
      // Real processes on a machine that is shared: a test that was red may try once more, and the last lines of `npm test` name it.
      { extends: true, test: { name: "programs", include: [...files.programs], isolate: false, retry: 1 } },
      { extends: true, test: { name: "machine", include: [...files.machine], retry: 1 } },
    ],
    // The next file in a process finds everything as it was.
    unstubEnvs: true,
    restoreMocks: true,
    // Generous, because a shared machine may be five times slower than it was: no test measures time by them, and `until` gives up before.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    teardownTimeout: 30_000,
    // A test that asserts nothing (a loop over nothing, a callback that is never called) fails.
    expect: { requireAssertions: true, poll: { timeout: 600_000 } },
  },
});
